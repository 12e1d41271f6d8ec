"""The witness: who really worked on what, seen from the members' side (I2, I3).

The other checks read records; this one is told by the program that drives members (the simulation,
a test, a demo) when one starts and stops working on a queue and when one is stopped from outside.
Two lives that work on one queue are a violation, unless one of them is suspended (it does nothing
now, and looks at its clock before it goes on) or, for a witness that is not ``strict``, was fenced:
not told yet, but given up by the controller.

Its one rule: it believes what was done, not what was written.
"""

from collections.abc import Iterator

from audit.history import Life, Queue
from audit.violations import Invariant, Violation, queue_text

Worker = tuple[Life, int]
"""A life, and the number of the process that lives it: a twin may have stolen a life."""


class Witness:
    """All lives at work in one group."""

    def __init__(self, group: str, *, strict: bool) -> None:
        """Begin with no life at work.

        Args:
            group: Where.
            strict: Whether even fenced lives must have stopped: true as long as clocks are sane
                and no two processes share a name.
        """
        self._group = group
        self._strict = strict
        self._working: dict[Queue, dict[Worker, int]] = {}
        self._tokens: dict[Queue, int] = {}
        self._fenced: set[Life] = set()
        self._suspended: set[Worker] = set()

    def starts(self, worker: Worker, queue: Queue, token: int) -> Iterator[Violation]:
        """A member starts working on a queue."""
        working = self._working.setdefault(queue, {})
        working[worker] = token
        name, highest = worker[0].member, self._tokens.get(queue, 0)
        counts = self._strict or worker[0] not in self._fenced
        if counts and token < highest:
            detail = f"{name} starts under token {token} after {highest}"
            yield Violation(Invariant.TOKENS_GROW, self._group, queue_text(queue), detail)
        self._tokens[queue] = max(highest, token)
        yield from self._overlapping(queue, worker)

    def stops(self, worker: Worker, queue: Queue) -> None:
        """A member has stopped working on a queue."""
        self._working.get(queue, {}).pop(worker, None)

    def suspended(self, worker: Worker) -> None:
        """A process does nothing, without knowing it."""
        self._suspended.add(worker)

    def resumed(self, worker: Worker) -> Iterator[Violation]:
        """It does something again, having looked at its clock first."""
        self._suspended.discard(worker)
        for queue in [queue for queue, working in self._working.items() if worker in working]:
            yield from self._overlapping(queue, worker)

    def ended(self, worker: Worker) -> None:
        """A process is no more."""
        self._suspended.discard(worker)
        for working in self._working.values():
            working.pop(worker, None)

    def fenced(self, life: Life) -> None:
        """The controller has given a life up."""
        self._fenced.add(life)

    def _overlapping(self, queue: Queue, worker: Worker) -> Iterator[Violation]:
        if not self._counts(worker):
            return
        for other in self._working[queue]:
            if other != worker and self._counts(other):
                names = f"{worker[0].member} and {other[0].member}"
                detail = f"{names} both work on it"
                yield Violation(Invariant.ONE_WORKER, self._group, queue_text(queue), detail)

    def _counts(self, worker: Worker) -> bool:
        return worker not in self._suspended and (self._strict or worker[0] not in self._fenced)
