"""The programs in Java: RocketMQ's own servers, and its consumers, as `make members` builds them.

Used by the command. Its one rule: a program's files are in the bench's own directory.
"""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from console.embedded.java import find_java
from console.embedded.ports import choose_port
from console.errors import ExitCode, Failure
from console.tethered_process import TetheredProcess

_ROOT: Final = Path(__file__).parents[2]
_BUILT: Final = _ROOT / ".cache" / "java"
_FRUGAL: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m")
"""Twenty of them share a machine."""
_OPEN: Final = (
    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
)
"""What RocketMQ's store needs of Java 17."""
_OURS: Final = ("trimtab-core", "trimtab-rocketmq", "trimtab-checks")
_HOOK: Final = "trimtab-rocketmq-broker"
"""First on the class path, or brokers load no plug-in but their own."""
FIVE: Final = "trimtab-checks-server"
"""RocketMQ 5.3.3: its servers, and so its client."""
FOUR: Final = "trimtab-checks-client-4"
"""The client of 4.9."""
_PATIENCE_S: Final = 240.0
"""A start takes 4 s on two idle cores, and has taken more than 60 on busy ones."""
_POLL_S: Final = 0.05


def java(
    home: Path,
    program: str,
    *arguments: str,
    hook: Mapping[str, str] | None = None,
    library: str = FIVE,
    properties: Sequence[str] = (),
) -> list[str]:
    """Return the command that runs one of our programs; its brokers have the hook, if told so.

    Args:
        home: Where it keeps its files.
        program: Which.
        arguments: What it is told.
        hook: Settings of the hook; None: it is not loaded.
        library: Which RocketMQ.
        properties: Of its Java machine, each as ``name=value``.

    Raises:
        Failure: They are not built.
    """
    if not _BUILT.is_dir():
        raise Failure("the programs in Java are not built; run `make members`", ExitCode.NOT_FOUND)
    ours = _OURS if hook is None else (_HOOK, *_OURS)
    places = [_BUILT / name / "classes" for name in ours]
    places += [_BUILT / "lib" / name / "*" for name in ("trimtab-core", library)]
    path = os.pathsep.join(map(str, places))
    settings = [f"-Dtrimtab.{name}={value}" for name, value in (hook or {}).items()]
    settings += [f"-D{it}" for it in properties]
    start = [str(find_java()), *_OPEN, *_FRUGAL, *settings, f"-Duser.home={home}", "-cp", path]
    return [*start, f"trimtab.checks.{program}", *arguments]


class Answers:
    """What servers have answered: the whole lines of a file.

    Args:
        file: Where they write them.
        runs: Whether they may still answer.
    """

    def __init__(self, file: Path, runs: Callable[[], bool]) -> None:
        self._file, self._runs = file, runs

    def count(self, word: str) -> int:
        """Return how often they have said it."""
        if not self._file.exists():
            return 0
        return self._file.read_text(errors="replace").split("\n")[:-1].count(word)

    def until(self, word: str, count: int) -> None:
        """Wait until they have said it so often.

        Raises:
            Failure: They have ended, or do not say it.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while self.count(word) < count:
            if not self._runs() or time.monotonic() > deadline:
                said = self._file.read_text(errors="replace")[-5_000:]
                raise Failure("RocketMQ's servers do not serve", details=said)
            time.sleep(_POLL_S)


class Servers:
    """A name server and two brokers, while the ``with`` block lasts.

    Args:
        home: Where they keep their files; it is made.
        hook: Settings of the hook that both brokers load; None: they load none.
    """

    def __init__(self, home: Path, hook: Mapping[str, str] | None = None) -> None:
        home.mkdir()
        self.names = f"127.0.0.1:{choose_port(0)}"
        port = self.names.rpartition(":")[2]
        told = [str(home), port, "DefaultCluster", "broker-b"]
        command = java(home, "RocketServer", *told, hook=hook)
        said = home / "said"
        reading, self._orders = os.pipe()
        with said.open("wb") as output:
            self._process = TetheredProcess(
                ["bash", "-c", f'exec "$@" <&{reading}', "bash", *command],
                output=output,
                pass_fds=(reading,),
            )
        os.close(reading)
        self._answers = Answers(said, lambda: self._process.poll() is None)

    def make(self, topic: str, queues: int) -> None:
        """Make a topic, with so many queues at each broker."""
        made = self._answers.count("made")
        os.write(self._orders, f"topic {topic} {queues}\n".encode())
        self._answers.until("made", made + 1)

    def __enter__(self) -> Self:
        self._answers.until("ready", 1)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._orders)
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.stop()
