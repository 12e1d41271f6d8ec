"""A program in Java at work: it is told things, and what it says is in a file.

Used by the tests of ``clients/java``. Its one rule: nothing of it is written outside its own home.
"""

import os
import signal
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from bench.departures.supervised import commands
from console.tethered_process import TetheredProcess
from tests.integration.guarded import guard_of

PATIENCE_S: Final = 60.0
_OPEN: Final = (
    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
)
"""What RocketMQ's store needs of Java 17."""


class JavaProcess:
    """One of our programs; it is told things on stdin, and what it says is in a file.

    Args:
        home: The folder of its own.
        command: The program and its arguments.
        by: What runs it.
    """

    def __init__(self, home: Path, command: Collection[str], by: Sequence[str] = ()) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.said = home / "said"
        reading, self._stdin = os.pipe()
        # RocketMQ keeps its logs in the home of the user.
        program, *rest = command
        settled = [*by, program, *_OPEN, f"-Duser.home={home}", *rest]
        with self.said.open("wb") as output:
            self._process = TetheredProcess(
                ["bash", "-c", f'exec "$@" <&{reading}', "bash", *settled],
                output=output,
                pass_fds=(reading,),
            )
        os.close(reading)

    @property
    def pid(self) -> int:
        """Its process, or that of what runs it."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.poll() is not None

    def lines(self) -> list[str]:
        """What it has said so far, line by line; the last may not be whole."""
        return self.said.read_text(errors="replace").split("\n")[:-1]

    def wait_for(self, word: str, count: int = 1) -> str:
        """Wait until it has said something as often as this, and return the last such line."""
        deadline = time.monotonic() + PATIENCE_S
        ended = None
        while len(found := [it for it in self.lines() if word in it]) < count:
            assert ended is None, self.said.read_text(errors="replace")[-5_000:]
            ended = self._process.poll()  # what it said at last is read once more
            assert time.monotonic() < deadline, self.said.read_text(errors="replace")[-5_000:]
            time.sleep(0.05)
        return found[-1]

    def tell(self, order: str) -> None:
        """Write a line to its stdin."""
        os.write(self._stdin, f"{order}\n".encode())

    def end(self) -> int:
        """Close its stdin, and return its exit code."""
        os.close(self._stdin)
        self._stdin = -1
        return self._process.wait(PATIENCE_S)

    def freeze(self) -> int:
        """Have it stand still; return when, on the clock that it speaks of."""
        os.killpg(self._process.pid, signal.SIGSTOP)
        return time.monotonic_ns()

    def wake(self) -> int:
        """Have it go on; return when, on the same clock."""
        now = time.monotonic_ns()
        os.killpg(self._process.pid, signal.SIGCONT)
        return now

    def kill(self) -> int:
        """Kill it at once; return when, on the clock that it speaks of."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE_S)
        return time.monotonic_ns()

    def terminate(self) -> None:
        """Ask it to end, as a supervisor does."""
        os.killpg(self._process.pid, signal.SIGTERM)

    def kill_under_guard(self) -> int:
        """Kill it at once, and not its guard; return when, on the same clock."""
        (program,) = commands(self.pid)
        now = time.monotonic_ns()
        os.kill(program, signal.SIGKILL)
        self._process.wait(PATIENCE_S)
        return now

    def kill_guard(self) -> None:
        """Kill its guard, and not the program."""
        os.kill(guard_of(self.pid), signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stdin >= 0:
            os.close(self._stdin)
        if self._process.poll() is None:
            with suppress(ProcessLookupError):  # its input is closed, so it may end meanwhile
                self.kill()
        self._process.wait(PATIENCE_S)  # or its tether is left
