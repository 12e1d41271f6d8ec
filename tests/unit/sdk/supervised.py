"""Supervisors as processes, and what can be seen of them."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.builders.application import WAIT_S, until
from trimtab import supervisor

SUPERVISE = (sys.executable, "-IS", supervisor.__file__)
INSTALLED = (sys.executable, "-c", "from trimtab.supervisor import main; main()")
Run = Callable[..., "subprocess.Popen[str]"]


def python(program: str, *arguments: str) -> list[str]:
    """A command."""
    return [sys.executable, "-IS", "-c", textwrap.dedent(program), *arguments]


@contextmanager
def supervisors() -> Iterator[Run]:
    """Start supervisors, whose folders are the test's; end what is left of them."""
    folder = Path(tempfile.mkdtemp(prefix="t"))  # short, as the name of a socket has to be
    begun: list[subprocess.Popen[str]] = []

    def start(command: list[str], *, by: tuple[str, ...] = SUPERVISE) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*by, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(folder)},
        )
        begun.append(process)
        return process

    try:
        yield start
        for process in begun:
            process.communicate(timeout=WAIT_S)
        until(lambda: not list(folder.iterdir()))  # also when it is the guard that removes it
        folder.rmdir()
    finally:
        for process in begun:
            if process.poll() is None:
                for pid in (*children(process.pid), process.pid):
                    os.kill(pid, signal.SIGKILL)
                process.communicate()


def line_of(process: "subprocess.Popen[str]") -> str:
    """Wait for a line of its output."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def children(pid: int) -> list[int]:
    """All of a process, zombies as well."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            number, _, rest = path.read_text().partition(" (")
            if int(rest.rpartition(") ")[2].split()[1]) == pid:
                found.append(int(number))
    return found


def command_of(pid: int) -> str:
    """Its arguments."""
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
