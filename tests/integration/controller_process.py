"""A controller in a process of its own, as `trimtab run` starts it, on the tests' Kafka.

    with ControllerProcess(home, kafka.bootstrap_servers, prefix) as controller:
        ...

It can be killed and started again on the same home. What it logs is in ``log``, which is shown
when it does not come up. The end of it is in the report of each test that fails (``conftest``).
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from console.tethered_process import TetheredProcess
from streaming.process.readiness import Readiness, file_of, read, standby_age_s
from tests.integration.topics import PARTITIONS

START_PATIENCE_S = 240.0
"""A start takes 10 s on two idle cores, and has taken 100 on busy ones."""
STOP_PATIENCE_S = 60.0
POLL_S = 0.1
FRUGAL = {
    # Spark writes Java for each task of a batch: that takes more time than the few rows of a test.
    "spark.options.spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.options.spark.sql.codegen.wholeStage": "false",
    # An idle query asks Kafka what is new fifty times a second: a quarter of what it costs.
    "spark.options.spark.sql.streaming.pollingDelay": "100ms",
    "topics.partitions": PARTITIONS,
}
"""Controllers of several tests share two cores, and half of what they cost, idle ones cost as well.
`trimtab run` and `trimtab demo` are tested as they come."""
_LAST = 20
_BEFORE_THAT = 40
"""Lines of the end of a log that are shown; four batches a second are logged."""


class _Elsewhere(NamedTuple):
    """One that another process of these tests has started, and ends."""

    pid: int

    def poll(self) -> int | None:
        """None while it runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None


STARTED: list["ControllerProcess"] = []
"""Those that the present test may have started or used."""


def ends_of_logs() -> list[tuple[str, str]]:
    """Return the end of each controller's log, under a headline."""
    return [
        (f"the controller in {it.home.name} said at last", it.end_of_log())
        for it in STARTED
        if it.log.exists()
    ]


def forget_ended() -> None:
    """Forget the controllers that the next test cannot use."""
    STARTED[:] = [it for it in STARTED if it.is_running]


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
            "controller.http_port": 0,
            "log.level": "debug",
            **FRUGAL,
            **settings,
        }
        flags = [flag for name, value in given.items() for flag in ("--set", f"{name}={value}")]
        self.settings = given
        run = [sys.executable, "-m", "console.main", "run", "--init-topics"]
        self.command = list(map(str, [*run, *further, *flags]))
        self._process: TetheredProcess | _Elsewhere | None = None

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None, "not started"
        return self._process.pid

    @property
    def name_servers(self) -> list[str]:
        """Where it asks for RocketMQ's routes, cluster by cluster."""
        return str(self.settings["routes.name_servers"]).split(", ")

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def end_of_log(self) -> str:
        """The last lines of its log, and before them those that are of more than one batch."""
        lines = self.log.read_text(errors="replace").splitlines()
        news = [line for line in lines[:-_LAST] if "[debug" not in line]
        return "\n".join(news[-_BEFORE_THAT:] + lines[-_LAST:])

    def found(self, pid: int) -> bool:
        """Whether another process of these tests has started it, and it runs."""
        self._process = _Elsewhere(pid)
        if self.is_running and all(it.home != self.home for it in STARTED):
            STARTED.append(self)
        return self.is_running

    def last_words(self) -> str:
        """How it ended, and the end of its log."""
        assert self._process is not None, "not started"
        return f"exit code {self._process.poll()}; its log ends:\n{self.end_of_log()}"

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

    def stand_by(self) -> None:
        """Start it, as `further` has it, and wait until it could take over."""
        begun, process = time.time(), self._begin()
        deadline = time.monotonic() + START_PATIENCE_S
        # One that was killed has left its file.
        while (age_s := standby_age_s(self.home)) is None or age_s > time.time() - begun:
            assert process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(POLL_S)

    def takes_over(self, patience_s: float) -> float:
        """Wait until it is the active one and at work; return how long that took, in seconds."""
        begun = time.monotonic()
        while read(self.home) is None:
            assert self.is_running, self.log.read_text()
            assert time.monotonic() < begun + patience_s, self.log.read_text()
            time.sleep(POLL_S / 10)
        return time.monotonic() - begun

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it, its JVM and its workers."""
        os.killpg(self.pid, number)

    def stop(self) -> int:
        """Tell it to stop, and return its exit code."""
        return self._own().stop()

    def ends(self, patience_s: float) -> int:
        """Wait for it to end by itself, and return its exit code."""
        return self._own().wait(patience_s)

    def kill(self) -> None:
        """Kill it and its JVM, which share a process group of their own, without a warning."""
        own = self._own()
        with suppress(ProcessLookupError):  # it is dead already
            os.killpg(own.pid, signal.SIGKILL)
        own.wait(STOP_PATIENCE_S)

    def lines(self, *words: str) -> list[str]:
        """The lines of its log that hold all of these words."""
        lines = self.log.read_text().splitlines()
        return [line for line in lines if all(word in line for word in words)]

    def commit(self) -> None:
        """Wait until two batches have been committed: all that it did before has been said."""
        deadline = time.monotonic() + 2 * STOP_PATIENCE_S
        for _ in range(2):
            last = self._committed()
            while self._committed() in {None, last}:
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(POLL_S)

    def _committed(self) -> int | None:
        """When the last batch was; None: none yet, since the query started anew."""
        with suppress(FileNotFoundError):
            return file_of(self.home).stat().st_mtime_ns
        return None

    def wait_for_line(self, *words: str, within: float) -> None:
        """Wait until its log has such a line."""
        deadline = time.monotonic() + within
        while not self.lines(*words):
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(POLL_S)

    def _own(self) -> TetheredProcess:
        assert isinstance(self._process, TetheredProcess), "not started here"
        return self._process

    def _begin(self) -> TetheredProcess:
        self.home.mkdir(parents=True, exist_ok=True)
        if self not in STARTED:
            STARTED.append(self)
        with self.log.open("ab") as log:
            process = TetheredProcess(
                self.command,
                output=log,
                cwd=self.home,  # sockets below it have short names
                grace_s=STOP_PATIENCE_S,
            )
        self._process = process
        return process

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it: whoever cares how it ends has stopped it, which takes seconds."""
        if self.is_running:
            self.kill()
