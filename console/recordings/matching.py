"""Matching: recorded events are cut into the batches that a controller really made.

Nobody writes down where a batch ended, but what was published tells (``evidence``). What is left
open is tried: the beats come once a second and the rest at once, so those of the last second may be
in or not; and of records that stand at nearly the same time those of some topics, or the later
ones, may not have been read yet. The batch is the one from which comes what was published. If none
is, the replay ends there, and says so.

Between two such times the log is cut at each tick from which nothing comes, or only a refusal, or
what members are told again. And where epochs tell that batches are missing, of which only summaries
told that are replaced since (after a pause, or where evictions were held), it is cut as soon as
what comes is such a batch.

Called by `trimtab replay`. Its one rule: what was not published is never told.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, product
from typing import NamedTuple

from console.recordings.evidence import TOGETHER_MS, End, Published, closing
from console.recordings.replaying import Replay
from sinks import Record
from streaming.wire.rows import Row, in_log_order
from trimtab.protocol import (
    ASSIGNMENTS,
    BROKERS,
    GROUPS,
    HISTORY,
    TICK_KEY,
    CommandAnswer,
    Handover,
    HistoryRecord,
    decode,
    member_key,
)

_LATE = 2
"""So many of them may each be read late while others are not."""
_TIES = 8
"""Records of one millisecond that are tried one by one."""


class Batch(NamedTuple):
    """What was read and what was decided by it."""

    number: int
    rows: list[Row]
    records: list[Record]


class Difference(NamedTuple):
    """What was published, and what comes instead."""

    at_ms: int
    published: Row | None
    """None: only the group's summary, which is not kept for ever, shows that there was a batch."""
    decided: list[Record]
    first: bool
    """Nothing came as published."""


@dataclass(slots=True)
class _Log:
    """The rows that are left to read, in log order."""

    rows: list[Row]
    times: list[int]
    at: int = 0
    held: list[Row] = field(default_factory=list)
    """Rows before ``at`` that no batch has read yet."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "_Log":
        """Order them."""
        ordered = in_log_order(rows)
        return cls(ordered, list(accumulate((row.appended_ms for row in ordered), max)))

    def until(self, end: int) -> list[Row]:
        """Return what stands there up to a moment."""
        return self.held + self.rows[self.at : bisect_right(self.times, end)]

    def take(self, taken: Iterable[Row], end: int) -> None:
        """Note that a batch has read these, which stand before a moment."""
        places = {row[:3] for row in taken}
        self.held = [row for row in self.until(end) if row[:3] not in places]
        self.at = bisect_right(self.times, end)

    def before(self, end: int) -> list[Row]:
        """Return what comes next, before a moment."""
        return self.rows[self.at : bisect_right(self.times, end - 1)]


def as_published(
    replay: Replay, group: str, rows: Iterable[Row], published: Published
) -> Iterator[Batch | Difference]:
    """Decide again, batch by batch, as long as what comes was published."""
    course = _Course(replay, group, _Log.of(rows), published)
    for end in published.ends():
        yield from course.until(end)
        best = course.matching(end)
        if best is None:
            yield course.difference(end)
            return
        yield course.taken(best, end.at_ms)


class _Match(NamedTuple):
    replay: Replay
    rows: list[Row]
    records: list[Record]


@dataclass(slots=True)
class _Course:
    """How far the replay of a group has come."""

    replay: Replay
    group: str
    log: _Log
    published: Published
    told: int = 0
    """Entries of the history that came again."""
    number: int = 0
    """Batches from which something came."""

    def until(self, end: End) -> Iterator[Batch]:
        """Read what no batch that ended at a known time has read, up to the one at ``end``."""
        own, beats = self.group.encode(), self.replay.rules.decoder.heartbeats
        for finely in (False, True):
            missing = self._missing(end)
            if finely and not missing:
                return
            for row in self.log.before(end.at_ms):
                is_cut = missing and row.key == own and (finely or row.topic != beats)
                if row.key != TICK_KEY and not is_cut:
                    continue
                found = self._cut(row, end)
                if found is None:
                    break
                if found.records:
                    yield self.taken(found, row.appended_ms)

    def _cut(self, row: Row, end: End) -> _Match | None:
        """End a batch at a record, if nothing comes of it that would have told its end."""
        at, heartbeats = row.appended_ms, self.replay.rules.decoder.heartbeats
        there = self.log.until(at)
        for tried in [there] if row.key == TICK_KEY else _tries(there, at, heartbeats):
            found = self._tried(tried, end)
            if not found.records:
                if row.key == TICK_KEY:
                    self.replay = found.replay
                    self.log.take(tried, at)
                return found
            if self._is_unsaid(found.records, self._missing(end)):
                return found
        return None

    def matching(self, end: End) -> _Match | None:
        """Return the first batch from which comes what was published, or all but durations."""
        nearly: _Match | None = None
        heartbeats, expected = (
            self.replay.rules.decoder.heartbeats,
            self.published.history[self.told :],
        )
        for tried in _tries(self.log.until(end.at_ms), end.at_ms, heartbeats):
            found = self._tried(tried, end)
            likeness = _likeness(found.records, end.at_ms, expected, self.published)
            if likeness:
                return found
            if likeness is False and nearly is None:
                nearly = found
        return nearly

    def taken(self, found: _Match, at: int) -> Batch:
        """Go on from a batch."""
        batch = Batch(self.number, found.rows, found.records)
        self.replay = found.replay
        self.log.take(found.rows, at)
        self.told, self.number = self.told + sum(map(_is_history, found.records)), self.number + 1
        return batch

    def difference(self, end: End) -> Difference:
        """Tell what comes where nothing comes that was published."""
        decided = self._tried(self.log.until(end.at_ms), end).records
        row = next((row for row, _ in self._next(1)), None)
        return Difference(end.at_ms, row, decided, first=self.number == 0)

    def _next(self, count: int) -> Sequence[tuple[Row, HistoryRecord]]:
        """Return so much of what was published next."""
        return self.published.history[self.told : self.told + count]

    def _tried(self, rows: list[Row], end: End) -> _Match:
        trial = self.replay.copied()
        above = end.before or 0
        for _, entry in self._next(1):
            if isinstance(entry, CommandAnswer) and entry.epoch is not None:
                above = entry.epoch  # told to who commands a group that is not there
        trial.begin_above(above, self.group)
        return _Match(trial, rows, _of(trial.decide(rows), self.group))

    def _missing(self, end: End) -> int:
        """Count the batches before one that nothing tells of but its epoch."""
        epoch = self.replay.epoch_of(self.group)
        return 0 if epoch is None or end.before is None else max(0, end.before - epoch)

    def _is_unsaid(self, records: Sequence[Record], missing: int) -> bool:
        """Tell whether nothing of what was published of these says when their batch ended.

        They are answers to commands that change nothing, and what members are told again; or, if a
        batch is missing, whatever is no rebalance, hand-over or first grant.
        """
        history = [decode(HISTORY, it.value) for it in records if _is_history(it)]
        if history != [entry for _, entry in self._next(len(history))]:
            return False
        summaries = [decode(GROUPS, it.value) for it in records if it.topic.endswith(GROUPS.name)]
        if not summaries:
            return all(isinstance(it, CommandAnswer) for it in history)
        kept = any(it.epoch in self.published.summaries for it in summaries)
        return missing > 0 and not kept and not any(closing(history))


def is_about(record: Record, group: str) -> bool:
    """Tell whether a record is a group's, or a cluster's: some keys have a second name."""
    if record.topic.endswith((ASSIGNMENTS.name, BROKERS.name)):
        return record.key.startswith(member_key(group, ""))
    return record.key == group.encode()


def _of(records: Iterable[Record], group: str) -> list[Record]:
    return [it for it in records if is_about(it, group)]


def _is_history(record: Record) -> bool:
    return record.topic.endswith(HISTORY.name)


def _tries(there: Sequence[Row], end: int, heartbeats: str) -> Iterator[list[Row]]:
    """Return what a batch that ended at that time may have read, the likeliest first."""
    last = [row for row in there if row.appended_ms == end]
    sure = [row for row in there if row.appended_ms < end]
    beats_last = any(row.topic == heartbeats for row in last)
    since = end - TOGETHER_MS
    near = sorted({row.topic for row in there if row.appended_ms > since})
    counts = [it for it in range(len(near) + 1) if it <= _LATE or it == len(near)]
    lates = [late for count in counts for late in combinations(near, count)]
    seen = set[tuple[object, ...]]()
    for with_beats, late, ties in product(
        (beats_last, not beats_last), lates, range(len(last), 0, -1)
    ):
        if len(last) - ties > _TIES:
            continue
        names = {row.topic for row in last[:ties]}
        tried = [
            row
            for row in (*sure, *last[:ties])
            if (with_beats or row.topic != heartbeats)
            and not (row.topic in late and row.topic not in names and row.appended_ms > since)
        ]
        key = (len(tried), *(row[:3] for row in tried if row.appended_ms > since))
        if tried and tried[-1].appended_ms == end and key not in seen:
            seen.add(key)
            yield tried


def _likeness(
    records: Sequence[Record],
    end: int,
    expected: Sequence[tuple[Row, HistoryRecord]],
    published: Published,
) -> bool | None:
    """Tell whether what was decided is what was published; False: but for durations."""
    history = [decode(HISTORY, it.value) for it in records if _is_history(it)]
    summaries = [decode(GROUPS, it.value) for it in records if it.topic.endswith(GROUPS.name)]
    if not any(it.at_ms == end for it in (*summaries, *closing(history))):
        return None
    if any(published.summaries.get(it.epoch, it) != it for it in summaries):
        return None
    wanted = [entry for _, entry in expected[: len(history)]]
    if history == wanted:
        return True
    return False if [*map(_timeless, history)] == [*map(_timeless, wanted)] else None


def _timeless(entry: HistoryRecord) -> HistoryRecord:
    """Return an entry without what depends on how far beats had been read."""
    if isinstance(entry, Handover):
        return entry.model_copy(update={"duration_ms": 0, "idle_ms": None})
    return entry
