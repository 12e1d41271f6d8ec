"""Matching: recorded events are cut into the batches that a controller really made.

Nobody writes down where a batch ended, but what was published tells: summaries, rebalances,
hand-overs and first grants carry the time of the last record that was read for them. What is left
open is tried: the beats come once a second and the rest at once, so those of the last second may be
in or not; and of records that stand at nearly the same time the later ones may not have been read
yet. The batch is the one from which comes what was published. If none is, the replay ends there,
and says so.

Between two such times the log is cut at each tick from which nothing comes, or only a refusal.

Called by `trimtab replay`. Its one rule: what was not published is never told.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product
from typing import NamedTuple

from console.recordings.evidence import Published, closing
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

_TOGETHER_MS = 100
"""Records of several topics that are so near each other may be read by two batches."""
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

    def ticks(self, end: int) -> list[int]:
        """Return when there were ticks before a moment."""
        ahead = self.rows[self.at : bisect_right(self.times, end - 1)]
        return [row.appended_ms for row in ahead if row.key == TICK_KEY]


def as_published(
    replay: Replay, group: str, rows: Iterable[Row], published: Published
) -> Iterator[Batch | Difference]:
    """Decide again, batch by batch, as long as what comes was published."""
    log, told, number = _Log.of(rows), 0, 0
    for end in published.ends:
        for at in log.ticks(end):
            trial, read = replay.copied(), log.until(at)
            records = _of(trial.decide(read), group)
            if not _is_answer(records, published.history[told:]):
                break
            log.take(read, at)
            replay = trial
            if records:
                yield Batch(number, read, records)
                told, number = told + len(records), number + 1
        expected = published.history[told:]
        best = _matching(replay, log.until(end), end, expected, published, group)
        if best is None:
            decided = replay.copied().decide(log.until(end))
            row = expected[0][0] if expected else None
            yield Difference(end, row, _of(decided, group), first=number == 0)
            return
        replay, batch = best.replay, Batch(number, best.rows, best.records)
        log.take(batch.rows, end)
        told, number = told + sum(map(_is_history, batch.records)), number + 1
        yield batch


class _Match(NamedTuple):
    replay: Replay
    rows: list[Row]
    records: list[Record]


def _matching(
    replay: Replay,
    there: list[Row],
    end: int,
    expected: Sequence[tuple[Row, HistoryRecord]],
    published: Published,
    group: str,
) -> _Match | None:
    """Return the first batch from which comes what was published, if need be but for durations."""
    nearly: _Match | None = None
    for tried in _tries(there, end, replay.rules.decoder.heartbeats):
        trial = replay.copied()
        records = _of(trial.decide(tried), group)
        likeness = _likeness(records, end, expected, published)
        if likeness:
            return _Match(trial, tried, records)
        if likeness is False and nearly is None:
            nearly = _Match(trial, tried, records)
    return nearly


def _is_answer(records: Sequence[Record], expected: Sequence[tuple[Row, HistoryRecord]]) -> bool:
    """Tell whether these are answers to commands that change nothing, or none.

    Such a batch says nowhere when it ended; where it did changes nothing, either.
    """
    if not all(map(_is_history, records)):
        return False
    history = [decode(HISTORY, it.value) for it in records]
    wanted = [entry for _, entry in expected[: len(history)]]
    return history == wanted and all(isinstance(it, CommandAnswer) for it in history)


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
    seen: set[tuple[tuple[str, int, int], ...]] = set()
    for with_beats, late, ties in product(
        (beats_last, not beats_last), (False, True), range(len(last), 0, -1)
    ):
        if len(last) - ties > _TIES:
            break
        names = {row.topic for row in last[:ties]}
        tried = [
            row
            for row in (*sure, *last[:ties])
            if (with_beats or row.topic != heartbeats)
            and not (late and row.topic not in names and row.appended_ms > end - _TOGETHER_MS)
        ]
        key = tuple(row[:3] for row in tried)
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
