"""The processes of the demo: a Kafka, the controller, a producer and the members, all real.

Each hangs on a tether, so that none outlives the demo, whatever kills it. Everything they write is
in one directory, made anew for each run: Kafka's data, the controller's checkpoint, a log and a
journal for each process. ``play`` performs the story's acts here.

The end of a process is noticed, and an untimely one is noted in the stage's own journal, for a
killed process can note nothing.
"""

import os
import signal
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self, assert_never

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # missing in the stubs

from console import topics
from console.demo.acts import CONTROLLER, PRODUCER, Act, Kill, Start, Stop
from console.demo.cast import TOPIC, Place, command, environment, sealed
from console.demo.journal import Died, JournalWriter, now
from console.embedded.broker import EmbeddedKafka
from console.file_lock import FileLock
from console.progress import Progress
from console.settings import Loaded, Settings
from console.settings.layers import Given
from console.settings.loading import effective
from console.settings.report import toml
from console.tethered_process import TetheredProcess
from streaming.process import readiness

_DEATH_TIMEOUT_S = 10.0
"""From a SIGKILL to the end of the process: milliseconds, unless the machine is stalled."""


class Stage:
    """All processes of one run; they end with the ``with`` block.

    Raises:
        Failure: Kafka does not come up.
    """

    def __init__(
        self,
        directory: Path,
        lock: FileLock,
        settings: Settings,
        *,
        queues: int,
        progress: Progress,
    ) -> None:
        self._lock = lock
        self._running: dict[str, TetheredProcess] = {}
        self._exits: dict[str, int] = {}
        self._untimely: list[str] = []
        self._told: set[str] = set()
        """Processes that were told to end."""
        self._started: dict[str, None] = {}
        """All members that ever ran, in the order of their first starts."""
        with ExitStack() as opened:
            kafka = opened.enter_context(EmbeddedKafka(directory, port=0, progress=progress))
            self.place = Place(directory, kafka.bootstrap_servers, queues)
            self.place.journals.mkdir()
            self.place.logs.mkdir()
            self._deaths = opened.enter_context(JournalWriter(self.place.journal("stage")))
            self._furnish(sealed(settings, self.place))
            opened.callback(self._clear)
            self._opened = opened.pop_all()

    def _furnish(self, settings: Settings) -> None:
        """Write the demo's settings down and make the topics."""
        values = effective(Loaded(settings, ()))
        layer = {key: Given(value, "the demo") for key, value, _ in values}
        self.place.settings.write_text(toml(Loaded(settings, (layer,))), "utf-8")
        admin = AdminClient({"bootstrap.servers": self.place.bootstrap_servers, "log_level": 2})
        topics.create(admin, topics.wanted(settings), self.place.bootstrap_servers)
        admin.create_topics([NewTopic(TOPIC, self.place.queues, 1)])[TOPIC].result()

    @property
    def exits(self) -> Mapping[str, int]:
        """Exit codes of the processes that have ended."""
        return self._exits

    @property
    def untimely(self) -> list[str]:
        """Processes that ended without being told to, in words."""
        return self._untimely

    @property
    def members(self) -> dict[str, int | None]:
        """The members in the order of their starts, with their process ids while they run."""
        return {
            name: self.pid(name) for name in self._started if name not in (CONTROLLER, PRODUCER)
        }

    def pid(self, name: str) -> int | None:
        """The process id of a process that runs."""
        process = self._running.get(name)
        return None if process is None else process.pid

    @property
    def controller_ready(self) -> bool:
        """Whether the controller that runs now has committed a batch."""
        found = readiness.read(self.place.directory)
        return found is not None and found.pid == self.pid(CONTROLLER)

    def perform(self, act: Act) -> None:
        """Do what the story says."""
        match act:
            case Start():
                for name in act.processes:
                    self._start(name)
            case Stop():
                self._end(act.process, signal.SIGTERM)
            case Kill():
                self._end(act.process, signal.SIGKILL)
                if (process := self._running.get(act.process)) is not None:
                    process.wait(_DEATH_TIMEOUT_S)
                self.watch()
            case _:
                assert_never(act)

    def watch(self) -> None:
        """Notice who has ended."""
        for name, process in list(self._running.items()):
            code = process.poll()
            if code is None:
                continue
            self._deaths.note(Died(now(), name))
            self._exits[name] = code
            del self._running[name]
            if name not in self._told:
                self._untimely.append(
                    f"{name} ended with exit code {code}; its log is {self.place.log(name)}"
                )

    def _start(self, name: str) -> None:
        self._told.discard(name)
        self._exits.pop(name, None)
        self._started.setdefault(name)
        with self.place.log(name).open("ab") as log:
            self._running[name] = TetheredProcess(
                command(name, self.place),
                output=log,
                env=environment(self.place),
                pass_fds=(self._lock.fd,),
            )

    def _end(self, name: str, how: signal.Signals) -> None:
        self._told.add(name)
        process = self._running.get(name)  # None: it has ended by itself, as `watch` has said
        with suppress(ProcessLookupError):  # it has just ended, which `watch` will find
            if process is not None:
                os.kill(process.pid, how)

    def _clear(self) -> None:
        """End all: the controller in good order, for Spark puts things away; the rest at once."""
        for name in self._running.keys() - {CONTROLLER}:
            self._end(name, signal.SIGKILL)
        for process in self._running.values():
            process.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
