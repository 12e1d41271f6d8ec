"""The members, what they say, and who of them has which queue.

Used by the command. Its one rule: what a member says counts from when it said so, not from when it
was read.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from bench.departures.worker import GROUP
from console.errors import Failure
from trimtab import supervisor

QUEUES: Final = 64
_PATIENCE_S: Final = 120.0
_POLL_S: Final = 0.02
_REST_S: Final = 7.0
"""Two heartbeats and more: by then everybody has shown that it knows its heirs."""
_SHOWN_S: Final = 0.5
"""For its mark to be read."""
_END_S: Final = 40.0
"""More than a member takes to leave at its worst."""


@dataclass
class Worker:
    """One member's process."""

    name: str
    process: subprocess.Popen[str]
    """The member's, or that of `trimtab-guard`."""
    pid: int
    """The member's own."""
    owned: set[int] = field(default_factory=set)
    there: threading.Event = field(default_factory=threading.Event)
    """It has joined, if only in its own words."""


@dataclass(frozen=True)
class Turn:
    """A queue came to a member, or went."""

    at: int
    name: str
    queue: int
    begins: bool


class Fleet:
    """Some members of one group, while the ``with`` block lasts."""

    def __init__(
        self,
        servers: str,
        prefix: str,
        names: tuple[str, ...],
        *,
        supervised: bool,
        guard: bool = True,
    ) -> None:
        self._servers, self._prefix, self._names = servers, prefix, names
        self._guard = "guard" if guard else "alone"
        self._supervisor = [sys.executable, "-IS", supervisor.__file__] if supervised else []
        self._lock = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self.turns: list[Turn] = []

    def start(self, name: str) -> None:
        """Start a member."""
        command = [sys.executable, "-m", "bench.departures.worker", self._servers, self._prefix]
        process = subprocess.Popen(
            [*self._supervisor, *command, name, self._guard],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        worker = self._workers[name] = Worker(name, process, pid)
        threading.Thread(target=self._hear, args=[worker], daemon=True).start()

    def leave(self, name: str) -> set[int]:
        """Tell a member to leave; return what it had."""
        worker = self._workers[name]
        owned = set(worker.owned)
        assert worker.process.stdin is not None
        worker.process.stdin.write("\n")
        worker.process.stdin.flush()
        return owned

    def kill(self, name: str) -> tuple[int, set[int]]:
        """Kill a member; return when, and what it had."""
        worker = self._workers[name]
        owned, at = set(worker.owned), time.time_ns()
        os.kill(worker.pid, signal.SIGKILL)
        worker.process.wait()
        return at, owned

    def rest(self) -> None:
        """Wait until each queue has one owner, evenly, and nothing has changed for a while.

        Raises:
            Failure: That does not come true.
        """
        deadline, since, known = time.monotonic() + _PATIENCE_S, time.monotonic(), -1
        while time.monotonic() - since < _REST_S:
            if time.monotonic() > deadline:
                raise Failure(f"the members of {GROUP} never rest: {self._loads()}")
            with self._lock:
                now = len(self.turns)
            loads = self._loads()
            even = sum(loads.values()) == QUEUES and max(loads.values()) - min(loads.values()) <= 1
            if now != known or not even:
                since, known = time.monotonic(), now
            time.sleep(_POLL_S)

    def wait_for(self, queues: set[int], since: int, seconds: float) -> list[Turn]:
        """Wait until others have begun on these queues; return the first turns since then."""
        deadline = time.monotonic() + seconds
        while True:
            with self._lock:
                begun = [it for it in self.turns if it.begins and it.at > since]
            first = {it.queue: it for it in sorted(begun, key=lambda it: -it.at)}
            if queues <= first.keys() or time.monotonic() > deadline:
                return [it for queue, it in first.items() if queue in queues]
            time.sleep(_POLL_S)

    def ended(self, name: str, since: int) -> dict[int, int]:
        """Return when a member has ended its work on each queue."""
        with self._lock:
            ends = [it for it in self.turns if not it.begins and it.name == name]
        return {it.queue: it.at for it in ends if it.at > since}

    def again(self, name: str) -> None:
        """Have a member that is going, or dead, start anew."""
        self._workers[name].process.wait(_END_S)
        self.start(name)

    def show(self, name: str) -> None:
        """Wait until a member that was started has joined, and the others know that it is there.

        Raises:
            Failure: It never does.
        """
        if not self._workers[name].there.wait(_PATIENCE_S):
            raise Failure(f"{name} never starts")
        time.sleep(_SHOWN_S)

    def owners(self) -> dict[int, list[str]]:
        """Return who works on each queue."""
        with self._lock:
            workers = list(self._workers.values())
            return {it: [w.name for w in workers if it in w.owned] for it in range(QUEUES)}

    def doubled(self, since: int) -> int:
        """Count how often a queue was begun while another member worked on it."""
        with self._lock:
            turns = sorted(self.turns, key=lambda it: it.at)
        working: dict[int, str] = {}
        twice = 0
        for turn in turns:
            other = working.get(turn.queue, turn.name)
            if turn.begins:
                twice += other != turn.name and turn.at > since
                working[turn.queue] = turn.name
            elif other == turn.name:
                working.pop(turn.queue, None)
        return twice

    def _loads(self) -> dict[str, int]:
        return {name: len(worker.owned) for name, worker in self._workers.items()}

    def _hear(self, worker: Worker) -> None:
        assert worker.process.stdout is not None
        for line in worker.process.stdout:
            said = json.loads(line)
            begins, queues = said["event"] == "begins", said["queues"]
            if said["event"] == "there":
                worker.there.set()
            with self._lock:
                (worker.owned.update if begins else worker.owned.difference_update)(queues)
                self.turns += [Turn(said["at"], worker.name, it, begins) for it in queues]

    def __enter__(self) -> Self:
        for name in self._names:
            self.start(name)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers.values():
            if worker.process.poll() is None:
                os.kill(worker.pid, signal.SIGKILL)
            worker.process.wait()
