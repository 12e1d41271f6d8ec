"""Reading: what was read, in order, and when that was by the auditor's own clock.

The records of a heartbeat partition fall into *stretches*: runs in which each record is within a
step of the latest so far. A stretch surely proves the time from its first record to its latest.
What lies between two stretches is an outage, or a broker's clock that jumped: ahead it may prove
one step more, back it proves nothing. So there are two figures, the most that may have been proved
and what surely was; nobody may be struck out by less than the first, and nobody may stay beyond the
second, for however long the broker's clock was wrong.

Kept by ``checker``, asked by ``silence``. Its one rule: it owes nothing to the brain's clock.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple

from audit.history import Place

_PLACES_REMEMBERED = 200_000
"""Two large batches: a cause is a record of the batch that is being judged."""
_STEPS_MADE_UP = 5
"""The steps in the shortest session."""


class Reading(NamedTuple):
    """When a record was read: its number in the order of reading, and the clock."""

    number: int
    clock_ms: int
    """The most that may have been proved by then."""
    appended_ms: int
    """When it was written; of a cause, when the latest beat was that had been read by then."""
    sure_ms: int
    """What surely was proved by then."""


BEGINNING = Reading(0, 0, 0, 0)
"""Before anything was read."""


@dataclass(slots=True)
class PartitionClock:
    """One heartbeat partition's log time, by the auditor's own arithmetic."""

    max_step_ms: int
    first_ms: int | None = None
    """Of the stretch that goes on."""
    latest_ms: int | None = None
    over_ms: int = 0
    """What the stretches before it have proved."""
    between_ms: int = 0
    """The most that the gaps between them may have proved."""
    went_back: bool = False
    """Its broker's clock did: what it says of the time between two records is worth nothing."""
    fell_back: bool = False
    """By more than a step, which ended a stretch."""

    def advance(self, appended_ms: int) -> None:
        """Read a record of the partition."""
        if self.first_ms is None or self.latest_ms is None:
            self.first_ms = self.latest_ms = appended_ms
            return
        gap_ms = appended_ms - self.latest_ms
        self.went_back |= gap_ms < 0
        if abs(gap_ms) <= self.max_step_ms:
            self.latest_ms = max(self.latest_ms, appended_ms)
            return
        self.over_ms += self.latest_ms - self.first_ms
        self.first_ms = self.latest_ms = appended_ms
        if gap_ms > 0:
            self.between_ms += self.max_step_ms
        else:
            self.fell_back = True

    @property
    def sure_ms(self) -> int:
        """What surely is proved."""
        return self.over_ms + (self.latest_ms or 0) - (self.first_ms or 0)

    @property
    def proved_ms(self) -> int:
        """The most that may be proved."""
        return self.sure_ms + self.between_ms

    @property
    def allowance_ms(self) -> int:
        """How much longer anything may take where the broker's clock fell back.

        A controller may make up for what the gaps before that were counted for, up to five steps.
        """
        return min(self.between_ms, _STEPS_MADE_UP * self.max_step_ms) if self.fell_back else 0

    def ahead_of(self, appended_ms: int) -> int:
        """Return how much later a record of another topic counts: beats may be two steps behind."""
        if self.latest_ms is None:
            return 2 * self.max_step_ms  # nobody knows how much later
        return max(0, min(appended_ms - self.latest_ms, 2 * self.max_step_ms))


@dataclass(slots=True)
class Reader:
    """Everything that was read, in order, with its time. Shared by all groups."""

    max_step_ms: int
    clocks: dict[int, PartitionClock] = field(default_factory=dict)
    count: int = 0
    _places: OrderedDict[tuple[str, int, int], Reading] = field(default_factory=OrderedDict)

    def read(self, at: Place, *, heartbeat: bool) -> Reading:
        """Read a record; return when it counts as heard."""
        clock = self.clocks.get(at.partition)
        if clock is None:
            clock = self.clocks[at.partition] = PartitionClock(self.max_step_ms)
        if heartbeat:
            clock.advance(at.appended_ms)
        ahead = 0 if heartbeat else clock.ahead_of(at.appended_ms)
        self.count += 1
        latest_ms = at.appended_ms if clock.latest_ms is None else clock.latest_ms
        proved, sure = clock.proved_ms, clock.sure_ms
        self._places[at[:3]] = Reading(self.count, proved, latest_ms, sure)
        if len(self._places) > _PLACES_REMEMBERED:
            self._places.popitem(last=False)
        return Reading(self.count, proved + ahead, at.appended_ms, sure + ahead)

    def now(self, partition: int) -> Reading:
        """Return what the clock shows."""
        clock = self.clocks.get(partition) or PartitionClock(self.max_step_ms)
        return Reading(self.count, clock.proved_ms, clock.latest_ms or 0, clock.sure_ms)

    def furthest(self, partition: int) -> Reading:
        """Return what a record of another topic can show by now."""
        now, ahead = self.now(partition), 2 * self.max_step_ms
        return now._replace(clock_ms=now.clock_ms + ahead, sure_ms=now.sure_ms + ahead)

    def elapsed_ms(self, partition: int, then: Reading, until: Reading | None = None) -> int:
        """Return how much time surely went by since something was read."""
        until = until or self.now(partition)
        clock = self.clocks[partition]
        if clock.fell_back:
            return until.sure_ms - then.sure_ms - clock.allowance_ms
        return until.clock_ms - then.clock_ms

    def find(self, at: Place) -> Reading | None:
        """Return when a record was read, and what the clock showed then."""
        return self._places.get(at[:3])
