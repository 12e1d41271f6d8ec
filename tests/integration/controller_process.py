"""A controller in a process of its own, as `trimtab run` starts it, on the tests' Kafka.

    with ControllerProcess(home, kafka.bootstrap_servers, prefix) as controller:
        ...

It can be killed and started again on the same home. What it logs is in ``log``, which is shown
when it does not come up.
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from console.tethered_process import TetheredProcess
from streaming.process.readiness import Readiness, read, sign

START_PATIENCE_S = 240.0
"""A start takes 10 s on two idle cores, and has taken 100 on busy ones."""
STOP_PATIENCE_S = 60.0
POLL_S = 0.1


class ControllerProcess:
    """One controller with its JVM; it dies with the tests, however they end.

    Args:
        home: Where it keeps its files.
        servers: The Kafka.
        prefix: Of its topics.
        further: Further arguments of `trimtab run`.
        settings: Settings, by their dotted names.
    """

    def __init__(
        self,
        home: Path,
        servers: str,
        prefix: str,
        further: Sequence[str] = (),
        /,
        **settings: object,
    ) -> None:
        self.home = home
        self.servers = servers
        self.prefix = prefix
        self.log = home / "controller.log"
        given = {
            "home": home,
            "kafka.bootstrap_servers": servers,
            "topics.prefix": prefix,
            "controller.ui_port": 0,
            "log.level": "debug",
            **settings,
        }
        flags = [flag for name, value in given.items() for flag in ("--set", f"{name}={value}")]
        command = [sys.executable, "-m", "console.main", "run", "--init-topics"]
        self._command = [*command, *further, *flags]
        self._process: TetheredProcess | None = None

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None, "not started"
        return self._process.pid

    def refuses(self) -> int:
        """Start it and wait until it ends by itself; return its exit code."""
        return self._begin().wait(START_PATIENCE_S)

    def start(self) -> Readiness:
        """Start it and wait until it is at work."""
        process = self._begin()
        deadline = time.monotonic() + START_PATIENCE_S
        while (readiness := read(self.home)) is None:
            assert process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(POLL_S)
        return readiness

    def stop(self) -> int:
        """Tell it to stop, and return its exit code."""
        assert self._process is not None, "not started"
        return self._process.stop()

    def ends(self, patience_s: float) -> int:
        """Wait for it to end by itself, and return its exit code."""
        assert self._process is not None, "not started"
        return self._process.wait(patience_s)

    def kill(self) -> None:
        """Kill it and its JVM, which share a process group of their own, without a warning."""
        assert self._process is not None, "not started"
        with suppress(ProcessLookupError):  # it is dead already
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(STOP_PATIENCE_S)

    def lines(self, *words: str) -> list[str]:
        """The lines of its log that hold all of these words."""
        lines = self.log.read_text().splitlines()
        return [line for line in lines if all(word in line for word in words)]

    def commit(self) -> None:
        """Wait until two batches have been committed: all that it did before has been said."""
        deadline = time.monotonic() + STOP_PATIENCE_S
        for _ in range(2):
            last = sign(self.home).stat().st_mtime_ns
            while sign(self.home).stat().st_mtime_ns == last:
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(POLL_S)

    def wait_for_line(self, *words: str, within: float) -> None:
        """Wait until its log has such a line."""
        deadline = time.monotonic() + within
        while not self.lines(*words):
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(POLL_S)

    def _begin(self) -> TetheredProcess:
        self.home.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            process = TetheredProcess(self._command, output=log, grace_s=STOP_PATIENCE_S)
        self._process = process
        return process

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop()
