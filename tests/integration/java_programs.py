"""The programs of `clients/java/checks`, as `make members` builds them."""

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from console.embedded.java import find_java
from tests.builders.checkout import ROOT

BUILT: Final = ROOT / ".cache" / "java"
_FRUGAL: Final = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xmx256m",
    "-XX:MaxDirectMemorySize=1g",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
)
"""They live for some seconds, share two cores with others, and what they are made of was verified
by its hash."""


def java(program: str, *libraries: str, hook: Mapping[str, str] | None = None) -> list[str]:
    """Return the command that runs one of our programs with these libraries.

    With the broker's hook on its class path, if its settings are given.
    """
    ours = [] if hook is None else ["trimtab-rocketmq-broker"]
    ours += ["trimtab-core", "trimtab-kafka", "trimtab-rocketmq", "trimtab-checks"]
    settings = [f"-Dtrimtab.{name}={value}" for name, value in (hook or {}).items()]
    places = [BUILT / name / "classes" for name in ours]
    places += [BUILT / "lib" / name / "*" for name in ("trimtab-core", *libraries)]
    path = os.pathsep.join(map(str, places))
    name = program if "." in program else f"checks.{program}"
    return [str(find_java()), *_FRUGAL, *settings, "-cp", path, f"trimtab.{name}"]


def answered(command: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Ask a program line by line; return its answers."""
    asked = "".join(f"{line}\n" for line in lines)
    answer = subprocess.run(
        command, input=asked, capture_output=True, text=True, check=False, timeout=60
    )
    said = answer.stdout.splitlines()
    assert len(lines) == len(said), answer.stderr
    return said


def played(stories: Collection[Path]) -> dict[str, str]:
    """Have the session in Java play the vectors; return what it says of each."""
    command = [*java("Vectors"), *map(str, stories)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    lines = [it.partition(" ") for it in answer.stdout.splitlines()]
    said = {name: result for name, _, result in lines}
    assert len(stories) == len(said), answer.stderr
    return said
