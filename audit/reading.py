"""Reading: what was read, in order, and when that was by the auditor's own clock.

The records of a heartbeat partition fall into *stretches*: runs in which each record is within a
step of the latest so far. A stretch surely proves the time between its records. What lies between
two stretches is an outage, or a broker's clock that jumped: ahead it may prove one step more, back
it proves nothing. A stretch that was left may go on, where two clocks take turns; then what went by
is what went by on one of them. So there are two figures, the most that may have been proved and
what surely was; nobody may be removed by less than the first, and nobody may stay beyond the
second, for however long the broker's clock was wrong.

Where ticks say whose they are, they alone prove time, and no more than a controller that was there
could act upon: while three that counted are unread, no further one does, and before a start has
read anything none of its own does (``Attendance``).

Kept by ``checker``, asked by ``silence``. Its one rule: it owes nothing to the brain's clock.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import NamedTuple

from audit.history import BeatSeen, Heard, Place, Ticked

_PLACES_REMEMBERED = 200_000
"""Two large batches: a cause is a record of the batch that is being judged."""
_MOST_UNREAD = 3
_STEPS_MADE_UP = 5
"""The steps in the shortest session."""
_STRETCHES_OPEN = 4
_STEPS_OPEN = 5
"""A stretch goes on, with others between, if its next record is no further away than that."""


Log = tuple[str, int]
"""A topic and a partition."""


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
class Stretch:
    """Records of one clock."""

    latest_ms: int
    sure_ms: int
    """What surely was proved by the latest."""

    def goes_on(self, appended_ms: int) -> int:
        """Go on with a record; return what lies between it and the one before."""
        gap_ms = max(0, appended_ms - self.latest_ms)
        self.latest_ms += gap_ms
        return gap_ms


@dataclass(slots=True)
class Attendance:
    """Whether a controller was there, as the ticks of one partition say."""

    start: str = ""
    """Whose ticks count; empty: ticks do not count, every record does."""
    _former: set[str] = field(default_factory=set)
    _unread: deque[int] = field(default_factory=deque)
    _last: int = -1

    def begins(self, tick: Ticked) -> bool:
        """Take a tick as the first that counts of a start, if it is."""
        if tick.seen is None or tick.start in {"", self.start} or tick.start in self._former:
            return False
        self._former.add(self.start)
        self.start, self._last = tick.start, -1
        self._unread.clear()
        return True

    def counts(self, tick: Ticked) -> bool:
        """Tell whether a controller was there when this was written."""
        if not self.start or tick.start != self.start or tick.number <= self._last:
            return tick.start == self.start == ""
        while self._unread and self._unread[0] <= (tick.seen or 0):
            self._unread.popleft()
        if len(self._unread) == _MOST_UNREAD:
            return False
        self._last = tick.number
        self._unread.append(tick.number)
        return True


@dataclass(slots=True)
class PartitionClock:
    """One heartbeat partition's log time, by the auditor's own arithmetic."""

    max_step_ms: int
    stretches: list[Stretch] = field(default_factory=list)
    """Those that may go on; the one that does is the last."""
    sure_ms: int = 0
    """What surely is proved."""
    between_ms: int = 0
    """What else may be, at most: by gaps between stretches, or by several clocks at once."""
    went_back: bool = False
    """Its broker's clock did: what it says of the time between two records is worth nothing."""
    fell_back: bool = False
    """By more than a step."""
    attendance: Attendance = field(default_factory=Attendance)
    _before_ms: int | None = None
    """When the record before was written, as it says."""

    def take(self, record: Ticked | BeatSeen) -> bool:
        """Read a record of the partition, and tell whether a start begins with it."""
        if isinstance(record, BeatSeen):
            begins, counts = False, not self.attendance.start
        else:
            begins, counts = self.attendance.begins(record), self.attendance.counts(record)
        if counts:
            self.advance(record.at.appended_ms)
        return begins

    def advance(self, appended_ms: int) -> None:
        """Read a record of the partition."""
        before_ms, stretch = self._before_ms, self._continued(appended_ms)
        reordered = before_ms is not None and 0 <= before_ms - appended_ms <= self.max_step_ms
        since_ms = 0 if before_ms is None else self._gap_ms(appended_ms - before_ms)
        gained_ms = 0
        if stretch is None:
            stretch = Stretch(appended_ms, self.sure_ms)
        else:
            self.stretches.remove(stretch)
            own_ms = self._gap_ms(stretch.goes_on(appended_ms))
            stretch.sure_ms += own_ms
            far = before_ms is None or appended_ms - before_ms > _STEPS_OPEN * self.max_step_ms
            since_ms = own_ms if far else max(since_ms, own_ms)  # it may be no return, but a gap
            gained_ms = max(0, stretch.sure_ms - self.sure_ms)
        self.sure_ms += gained_ms
        self.between_ms += since_ms - gained_ms
        self.stretches = [*self.stretches, stretch][-_STRETCHES_OPEN:]
        if before_ms is not None:
            self.went_back |= appended_ms < before_ms
            self.fell_back |= appended_ms < before_ms - self.max_step_ms
        self._before_ms = before_ms if reordered else appended_ms

    def _gap_ms(self, gap_ms: int) -> int:
        return max(0, min(gap_ms, self.max_step_ms))

    def _continued(self, appended_ms: int) -> Stretch | None:
        """Return the stretch that goes on with a record: the same as before, if that may be."""
        if not self.stretches:
            return None
        closest = min(reversed(self.stretches), key=lambda it: abs(appended_ms - it.latest_ms))
        last, step_ms = self.stretches[-1], self.max_step_ms
        if abs(appended_ms - last.latest_ms) <= step_ms:
            return last
        near = -step_ms <= appended_ms - closest.latest_ms <= _STEPS_OPEN * step_ms
        return closest if near and closest is not last else None

    @property
    def latest_ms(self) -> int | None:
        """When the latest record of the stretch that goes on was written."""
        return self.stretches[-1].latest_ms if self.stretches else None

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

    @property
    def furthest_ms(self) -> int:
        """How much later a record may count that does not move the clock.

        Beats may be two steps behind, and ticks as many as may be unread.
        """
        return (_MOST_UNREAD if self.attendance.start else 2) * self.max_step_ms

    def ahead_of(self, appended_ms: int) -> int:
        """Return how much later such a record counts."""
        if self.latest_ms is None:
            return self.furthest_ms  # how much later is unknown
        return max(0, min(appended_ms - self.latest_ms, self.furthest_ms))


@dataclass(slots=True)
class Reader:
    """Everything that was read, in order, with its time. Shared by all groups."""

    max_step_ms: int
    clocks: dict[int, PartitionClock] = field(default_factory=dict)
    count: int = 0
    _written: dict[Log, int] = field(default_factory=dict)
    """When the last record of each place was, whether or not it counted."""
    _latest_ms: dict[int, int] = field(default_factory=dict)
    """By partition, when the latest beat was written that was read before this batch."""
    _behind: set[Log] = field(default_factory=set)
    """Logs of which a record of this batch is older than it can be."""
    _begun: dict[int, Reading] = field(default_factory=dict)
    _places: OrderedDict[tuple[str, int, int], Reading] = field(default_factory=OrderedDict)

    def read(self, record: Heard) -> Reading:
        """Read a record; return when it counts as heard."""
        at = record.at
        clock = self.clocks.get(at.partition)
        if clock is None:
            clock = self.clocks[at.partition] = PartitionClock(self.max_step_ms)
        written_ms = self._written.get(at[:2], at.appended_ms)
        clock.went_back |= at.appended_ms < written_ms
        self._written[at[:2]] = at.appended_ms
        moves = isinstance(record, Ticked | BeatSeen)
        begins = isinstance(record, Ticked | BeatSeen) and clock.take(record)
        ahead = clock.ahead_of(at.appended_ms) if clock.attendance.start or not moves else 0
        self.count += 1
        latest_ms = at.appended_ms if clock.latest_ms is None else clock.latest_ms
        proved, sure = clock.proved_ms, clock.sure_ms
        self._places[at[:3]] = Reading(self.count, proved, latest_ms, sure)
        if len(self._places) > _PLACES_REMEMBERED:
            self._places.popitem(last=False)
        if begins:
            self._begun[at.partition] = self.furthest(at.partition)
        return Reading(self.count, proved + ahead, at.appended_ms, sure + ahead)

    def now(self, partition: int) -> Reading:
        """Return what the clock shows."""
        clock = self.clocks.get(partition) or PartitionClock(self.max_step_ms)
        return Reading(self.count, clock.proved_ms, clock.latest_ms or 0, clock.sure_ms)

    def compared(self, at: Place, reading: Reading) -> Log:
        """Look whether a record says that it is older than beats that were read before its batch.

        Then the broker's clock of its log is behind that of the beats, for all of this batch.
        Where batches are not known, it is compared with all beats that were read before it.
        """
        log, now_ms = at[:2], self.now(at.partition).appended_ms
        latest_ms = self._latest_ms.get(at.partition, now_ms)
        if latest_ms - reading.appended_ms > self.max_step_ms:
            self._behind.add(log)
        return log

    def is_behind(self, log: Log | None) -> bool:
        """Tell whether what a log brings in this batch, also before, may be as late as its end."""
        return log in self._behind

    def batch_ends(self) -> None:
        """What is read next may be in time again."""
        self._behind.clear()
        self._latest_ms = {partition: self.now(partition).appended_ms for partition in self.clocks}

    def furthest(self, partition: int) -> Reading:
        """Return what a record of another topic can show by now."""
        clock = self.clocks.get(partition) or PartitionClock(self.max_step_ms)
        now, ahead = self.now(partition), clock.furthest_ms
        return now._replace(clock_ms=now.clock_ms + ahead, sure_ms=now.sure_ms + ahead)

    def begun(self, partition: int) -> Reading:
        """Return when a controller began that gave each member a new session."""
        return self._begun.get(partition, BEGINNING)

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
