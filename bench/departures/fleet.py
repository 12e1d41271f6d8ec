"""The members, what they say, and who of them has which queue.

Each is a process that says its process id when it is up, joins at the line `join`, and goes at the
next line. Used by this bench and by `handover`. Its one rule: what a member says counts from when
it said so, not from when it was read.
"""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from bench.departures.turns import First, Turn
from console.errors import Failure

_PATIENCE_S: Final = 120.0
_POLL_S: Final = 0.02
REST_S: Final = 7.0
"""Two heartbeats and more: by then everybody has shown that it knows its heirs."""
_SHOWN_S: Final = 0.5
"""For its mark to be read."""
_END_S: Final = 40.0
"""More than a member takes to leave at its worst."""

Command = Callable[[str], Sequence[str]]
"""How a member of this name is started."""


@dataclass
class Worker:
    """One member's process."""

    name: str
    process: subprocess.Popen[str]
    """The member's, or that of `trimtab-guard`."""
    hearer: threading.Thread | None = None
    pid: int = 0
    """The member's own."""
    owned: set[int] = field(default_factory=set)
    up: threading.Event = field(default_factory=threading.Event)
    """It has said its process id, or has ended."""
    there: threading.Event = field(default_factory=threading.Event)
    """It has joined, if only in its own words."""
    present: bool = False
    """It was told to join, and not to go."""


class Fleet:
    """Some members of one group, while the ``with`` block lasts."""

    def __init__(
        self,
        queues: int,
        command: Command,
        freed: Callable[[Collection[int]], object] | None = None,
        spread: int = 1,
    ) -> None:
        self.queues, self._command = queues, command
        self._spread = spread
        """How many more queues one may have than another, at rest."""
        self._freed = freed
        """Called with queues that a member has just given up, or died with."""
        self._lock = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self._turns: list[Turn] = []
        self._firsts: list[First] = []
        self._said: dict[tuple[str, str], int] = {}

    @property
    def turns(self) -> list[Turn]:
        """All so far, in order of time."""
        with self._lock:
            return sorted(self._turns)

    @property
    def firsts(self) -> list[First]:
        """All so far."""
        with self._lock:
            return list(self._firsts)

    def start(self, *names: str) -> None:
        """Start members, and have them join as soon as all of them are up."""
        for name in names:
            self.prepare(name)
        self.join(*names)

    def prepare(self, name: str, command: Command | None = None) -> None:
        """Start a member's process, which does not join yet."""
        process = subprocess.Popen(
            (command or self._command)(name),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        worker = self._workers[name] = Worker(name, process)
        worker.hearer = threading.Thread(target=self._hear, args=[worker], daemon=True)
        worker.hearer.start()

    def join(self, *names: str) -> None:
        """Have members join, all at once.

        Raises:
            Failure: One of them does not come up.
        """
        those = [self._workers[name] for name in names]
        for worker in those:
            if not worker.up.wait(_PATIENCE_S) or not worker.pid:
                raise Failure(f"{worker.name} never starts")
        for worker in those:
            worker.present = True
            self._order(worker, "join")

    def leave(self, name: str, how: str = "leave") -> set[int]:
        """Tell a member to leave; return what it had."""
        worker = self._workers[name]
        owned, worker.present = set(worker.owned), False
        self._order(worker, how)
        return owned

    def joined(self, *names: str) -> int:
        """Have members join that say when they do; return when the first of them did."""
        self.join(*names)
        return min(self.said(it, "joins") for it in names)

    def left(self, name: str, how: str = "leave") -> int:
        """Have a member go that says when it does; return when it did."""
        self.leave(name, how)
        return self.said(name, "leaves")

    def kill(self, name: str) -> tuple[int, set[int]]:
        """Kill a member; return when, and what it had."""
        worker = self._workers[name]
        worker.present, at = False, time.time_ns()
        os.kill(worker.pid, signal.SIGKILL)
        if self._freed is not None:
            self._freed(set(worker.owned))
        self.gone(name)
        return at, self._bereave(worker, at)

    def freeze(self, name: str) -> tuple[int, set[int]]:
        """Have a member stand still for good; return when, and what it had."""
        worker = self._workers[name]
        worker.present, at = False, time.time_ns()
        os.kill(worker.pid, signal.SIGSTOP)
        time.sleep(_POLL_S)  # what it has said is on its way
        return at, self._bereave(worker, at)

    def _bereave(self, worker: Worker, at: int) -> set[int]:
        with self._lock:
            owned = set(worker.owned)
            self._turns += [Turn(at, False, worker.name, it) for it in owned]  # noqa: FBT003 - as named
            worker.owned.clear()
        return owned

    def gone(self, name: str) -> None:
        """Wait until a member that is going has ended, and all that it said is read."""
        worker = self._workers[name]
        worker.process.wait(_END_S)
        assert worker.hearer is not None
        worker.hearer.join(_END_S)

    def rest(self) -> None:
        """Wait until each queue has one owner, evenly, and nothing has changed for a while.

        Raises:
            Failure: That does not come true.
        """
        if not self.rests():
            raise Failure(f"the members never rest: {self._loads()}")

    def rests(
        self,
        quiet_s: float = REST_S,
        replaced: str = "",
        patience_s: float = _PATIENCE_S,
        *,
        evenly: bool = True,
    ) -> bool:
        """Wait as `rest` does, and tell whether it comes true.

        Who was replaced may have nothing. Loads are even only by a controller that works.
        """
        deadline, since, known = time.monotonic() + patience_s, time.monotonic(), -1
        while time.monotonic() - since < quiet_s:
            if time.monotonic() > deadline:
                return False
            with self._lock:
                now = len(self._turns)
            loads = self._loads(replaced)
            even = sum(loads.values()) == self.queues
            if evenly:
                even = even and max(loads.values()) - min(loads.values()) <= self._spread
            if now != known or not even:
                since, known = time.monotonic(), now
            time.sleep(_POLL_S)
        return True

    def wait_for(self, queues: set[int], since: int, seconds: float) -> list[Turn]:
        """Wait until others have begun on these queues; return the first turns since then."""
        deadline = time.monotonic() + seconds
        while True:
            begun = [it for it in self.turns if it.begins and it.at > since]
            first = {it.queue: it for it in reversed(begun)}
            if queues <= first.keys() or time.monotonic() > deadline:
                return [it for queue, it in first.items() if queue in queues]
            time.sleep(_POLL_S)

    def ended(self, name: str, since: int) -> dict[int, int]:
        """Return when a member has ended its work on each queue."""
        ends = [it for it in self.turns if not it.begins and it.name == name]
        return {it.queue: it.at for it in ends if it.at > since}

    def again(self, name: str) -> None:
        """Have a member that is going, or dead, start anew."""
        self.gone(name)
        self.start(name)

    def show(self, name: str) -> None:
        """Wait until a member that was started has joined, and the others know that it is there.

        Raises:
            Failure: It never does.
        """
        if not self._workers[name].there.wait(_PATIENCE_S):
            raise Failure(f"{name} never joins")
        time.sleep(_SHOWN_S)

    def owners(self) -> dict[int, list[str]]:
        """Return who works on each queue."""
        with self._lock:
            workers = list(self._workers.values())
            return {it: [w.name for w in workers if it in w.owned] for it in range(self.queues)}

    def said(self, name: str, event: str) -> int:
        """Return when a member has said this word.

        Raises:
            Failure: It does not say so.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while (name, event) not in self._said:
            if time.monotonic() > deadline:
                raise Failure(f"{name} never says that it {event}")
            time.sleep(_POLL_S)
        return self._said[name, event]

    def _loads(self, replaced: str = "") -> dict[str, int]:
        """Of those who are present, and of those who still have something."""
        workers = list(self._workers.values())
        counted = [it for it in workers if it.owned or (it.present and it.name != replaced)]
        return {it.name: len(it.owned) for it in counted}

    def _order(self, worker: Worker, word: str) -> None:
        assert worker.process.stdin is not None
        worker.process.stdin.write(f"{word}\n")
        worker.process.stdin.flush()

    def _hear(self, worker: Worker) -> None:
        assert worker.process.stdout is not None
        worker.pid = int(worker.process.stdout.readline() or 0)
        worker.up.set()
        for line in worker.process.stdout:
            self._take(worker, json.loads(line))

    def _take(self, worker: Worker, said: dict[str, Any]) -> None:
        at, event, queues = said["at"], said["event"], said["queues"]
        with self._lock:
            match event:
                case "first":
                    self._firsts.append(First(at, worker.name, queues[0], said["sent"]))
                case "begins" | "ends":
                    begins = event == "begins"
                    (worker.owned.update if begins else worker.owned.difference_update)(queues)
                    self._turns += [Turn(at, begins, worker.name, it) for it in queues]
                case _:
                    self._said[worker.name, event] = at
        if event == "there":
            worker.there.set()
        if event == "ends" and self._freed is not None:
            self._freed(queues)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            if worker.process.poll() is None:
                os.kill(worker.pid or worker.process.pid, signal.SIGKILL)
            worker.process.wait()
