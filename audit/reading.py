"""Reading: what was read, in order, and when that was by the auditor's own clock.

The auditor keeps a clock for each heartbeat partition: the sum of the gaps between its records,
each counted for ``max_step_ms`` at most, since a longer gap may be an outage.

Kept by ``checker``, asked by ``silence``. Its one rule: it owes nothing to the brain's clock.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple

from audit.history import Place

_PLACES_REMEMBERED = 200_000
"""Two large batches: a cause is a record of the batch that is being judged."""


class Reading(NamedTuple):
    """When a record was read: its number in the order of reading, and the clock."""

    number: int
    clock_ms: int
    appended_ms: int
    """When it was written; of a cause, when the latest beat was that had been read by then."""


@dataclass(slots=True)
class PartitionClock:
    """One heartbeat partition's log time, by the auditor's own arithmetic."""

    max_step_ms: int
    proved_ms: int = 0
    latest_ms: int | None = None
    went_back: bool = False
    """Its broker's clock did: what it says of the time between two records is worth nothing."""

    def advance(self, appended_ms: int) -> int:
        """Read a record of the partition."""
        self.went_back |= self.latest_ms is not None and appended_ms < self.latest_ms
        self.proved_ms += self._gap(appended_ms)
        self.latest_ms = max(appended_ms, self.latest_ms or appended_ms)
        return self.proved_ms

    def of_another(self, appended_ms: int) -> int:
        """Return what a record of another topic counts as: beats may be read two steps later."""
        if self.latest_ms is None:
            return self.proved_ms + 2 * self.max_step_ms  # nobody knows how much later
        return self.proved_ms + self._gap(appended_ms, steps=2)

    def _gap(self, appended_ms: int, steps: int = 1) -> int:
        since = appended_ms if self.latest_ms is None else self.latest_ms
        return max(0, min(appended_ms - since, steps * self.max_step_ms))


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
        heard = clock.advance(at.appended_ms) if heartbeat else clock.of_another(at.appended_ms)
        self.count += 1
        latest_ms = at.appended_ms if clock.latest_ms is None else clock.latest_ms
        self._places[at[:3]] = Reading(self.count, clock.proved_ms, latest_ms)
        if len(self._places) > _PLACES_REMEMBERED:
            self._places.popitem(last=False)
        return Reading(self.count, heard, at.appended_ms)

    def ahead_ms(self, partition: int) -> int:
        """Return the clock that a record of another topic can show by now."""
        clock = self.clocks.get(partition)  # none, where nobody's joining was shown
        return (0 if clock is None else clock.proved_ms) + 2 * self.max_step_ms

    def find(self, at: Place) -> Reading | None:
        """Return when a record was read, and what the clock showed then."""
        return self._places.get(at[:3])
