"""The journals summed up: who worked on which queue when, and what became of every message.

A *tenure* is one member's time on one queue, from its start to its stop. Sort the tenures of a
queue by their starts: where one begins before all earlier ones have ended, two members owned it at
once; where it begins later, no member worked on the queue in between, and that time is what a
hand-over costs.

Pure. Fed entry by entry while the demo runs (for the screen), and once more from the whole journals
in the order of time (for the verdict). Entries of one member come in their order, its death
included; between members it relies on times alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Self, assert_never

from console.demo.journal import (
    AnyEntry,
    Died,
    Ending,
    Processed,
    Produced,
    Started,
    Stopped,
)


@dataclass(slots=True)
class Tenure:
    """One member's time on one queue."""

    queue: int
    member: str
    epoch: int
    start: int
    stop: int | None = None
    """None while it lasts."""
    ending: Ending | None = None
    reached: int = -1
    """The largest offset that it processed."""


@dataclass(frozen=True, slots=True)
class Handover:
    """A queue went from the member that stopped last to the one that started next."""

    queue: int
    giver: str
    heir: str
    epoch: int
    """The heir's."""
    at: int
    """When the heir started."""
    rest: int
    """How long the queue had no worker, in nanoseconds."""
    ending: Ending


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two members worked on one queue at once: what must never be."""

    queue: int
    members: tuple[str, str]
    at: int


@dataclass(slots=True)
class Offsets:
    """Offsets of one queue, kept as a frontier and the few that came before their turn."""

    frontier: int = 0
    """Every offset below it is in."""
    beyond: set[int] = field(default_factory=set)

    def __contains__(self, offset: int) -> bool:
        return offset < self.frontier or offset in self.beyond

    def __len__(self) -> int:
        return self.frontier + len(self.beyond)

    def add(self, offset: int) -> bool:
        """Put one in, and say whether it is new."""
        if offset in self:
            return False
        self.beyond.add(offset)
        while self.frontier in self.beyond:
            self.beyond.remove(self.frontier)
            self.frontier += 1
        return True

    def without(self, other: Self) -> int:
        """How many are in here and not in the other."""
        candidates = chain(range(other.frontier, self.frontier), self.beyond)
        return sum(offset not in other for offset in candidates)


@dataclass(slots=True)
class Totals:
    """What the journals add up to, as far as they have been read."""

    tenures: defaultdict[int, list[Tenure]] = field(default_factory=lambda: defaultdict(list))
    """By queue, each in the order in which its start was read."""
    processed: Counter[str] = field(default_factory=Counter)
    """Messages by member, repeats included."""
    repeats: int = 0
    """Messages that had been processed before."""
    repeats_by_death: int = 0
    """Those of them whose first worker died while it had the queue."""
    strays: int = 0
    """Messages processed by a member on a queue that it did not own."""
    _produced: defaultdict[int, Offsets] = field(default_factory=lambda: defaultdict(Offsets))
    _seen: defaultdict[int, Offsets] = field(default_factory=lambda: defaultdict(Offsets))

    @classmethod
    def of(cls, entries: Iterable[AnyEntry]) -> Self:
        """The totals of all these entries."""
        totals = cls()
        for entry in entries:
            totals.absorb(entry)
        return totals

    def absorb(self, entry: AnyEntry) -> None:
        """Book one entry."""
        match entry:
            case Started():
                for queue, epoch in entry.grants:
                    self.tenures[queue].append(Tenure(queue, entry.member, epoch, entry.at))
            case Stopped():
                self._stop(entry.member, entry.queues, entry.at, entry.ending)
            case Died():
                self._stop(entry.member, self.tenures, entry.at, "died")
            case Processed():
                self._book_message(entry)
            case Produced():
                self._produced[entry.queue].add(entry.offset)
            case _:
                assert_never(entry)

    def _book_message(self, message: Processed) -> None:
        self.processed[message.member] += 1
        tenure = self._current(message.queue, message.member)
        if tenure is None:
            self.strays += 1
        else:
            tenure.reached = max(tenure.reached, message.offset)
        if not self._seen[message.queue].add(message.offset):
            self.repeats += 1
            self.repeats_by_death += any(
                earlier.ending == "died" and earlier.reached >= message.offset
                for earlier in self.tenures[message.queue]
            )

    def _stop(self, member: str, queues: Iterable[int], at: int, ending: Ending) -> None:
        for queue in queues:
            tenure = self._current(queue, member)
            if tenure is not None:
                tenure.stop, tenure.ending = at, ending

    def _current(self, queue: int, member: str) -> Tenure | None:
        for tenure in reversed(self.tenures[queue]):
            if tenure.member == member:
                return tenure if tenure.stop is None else None
        return None

    def owners(self) -> dict[int, list[str]]:
        """Who works on each queue now; more than one name is one too many."""
        return {
            queue: [tenure.member for tenure in tenures if tenure.stop is None]
            for queue, tenures in self.tenures.items()
        }

    def produced(self) -> int:
        """Messages that Kafka has acknowledged."""
        return sum(map(len, self._produced.values()))

    def outstanding(self) -> int:
        """Messages that were produced and not processed: late, or in the end lost."""
        return sum(made.without(self._seen[queue]) for queue, made in self._produced.items())

    def handovers(self) -> list[Handover]:
        """Every hand-over, in the order in which the heirs started."""
        found = [
            Handover(
                queue=heir.queue,
                giver=giver.member,
                heir=heir.member,
                epoch=heir.epoch,
                at=heir.start,
                rest=heir.start - giver.stop,
                ending=giver.ending,
            )
            for giver, heir in self._handovers()
            if giver.stop is not None and giver.ending is not None and giver.stop <= heir.start
        ]
        return sorted(found, key=lambda handover: handover.at)

    def overlaps(self) -> list[Overlap]:
        """Every time that a queue had two owners."""
        return [
            Overlap(heir.queue, (giver.member, heir.member), heir.start)
            for giver, heir in self._handovers()
            if giver.stop is None or giver.stop > heir.start
        ]

    def _handovers(self) -> Iterable[tuple[Tenure, Tenure]]:
        """Each tenure with the one before it that ended last."""
        for tenures in self.tenures.values():
            swept = sorted(tenures, key=lambda tenure: tenure.start)
            last = swept[:1]
            for tenure in swept[1:]:
                yield last[0], tenure
                last = [max(last[0], tenure, key=_end)]


def _end(tenure: Tenure) -> tuple[bool, int]:
    return (tenure.stop is None, tenure.stop or 0)
