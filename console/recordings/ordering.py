"""Ordering: recorded topics in an order in which a controller may have read and written them.

Each record of Kafka carries the time of its own broker, and their clocks differ. Within a partition
the offsets tell the order, whatever the stamps say. Across partitions the stamps do; but what was
published stands no earlier than the last record that was read for it, whose time the group's
summary of that epoch names, and the history, also for each grant that passed on. So nobody is
accused because the clock of the broker that took a release is ahead.

Called by ``judging``. Its one rule: it orders, and leaves nothing out.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from streaming.wire.rows import Row, timed
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    HISTORY,
    Assignment,
    Granted,
    Group,
    Handover,
    Hold,
    MemberChanged,
    RebalanceDone,
    Record,
    Topic,
    UndecodableRecord,
    decode,
)

PUBLISHED: Final[tuple[Topic[Any], ...]] = (HISTORY, GROUPS, ASSIGNMENTS)
"""As a batch writes them: who is removed is named before its assignment is taken back."""
_ASTRAY_MS: Final = 60_000
"""A clock that is ahead by more tells nothing of what others wrote."""

_Timed = tuple[int, Row]


class _Batch(NamedTuple):
    """What a published record tells of the batch that wrote it."""

    names: tuple[tuple[object, ...], ...] = ()
    """What others may tell the time of: its epoch, and the grants that it names."""
    read_ms: int | None = None
    """When the last record was appended that had been read."""


def in_order(rows: Iterable[Row], prefix: str) -> list[Row]:
    """Order a recording; what was heard at a moment stands before what was published then."""
    topics = {f"{prefix}{topic.name}": topic for topic in PUBLISHED}
    ranks = {name: rank for rank, name in enumerate(topics, start=1)}
    placed = timed(rows)
    ordered = [it for it in placed if it[1].topic not in topics]
    moved = {row.appended_ms: at for at, row in ordered if at < row.appended_ms}
    ordered += _behind([it for it in placed if it[1].topic in topics], topics, moved)
    ordered.sort(key=lambda it: (it[0], ranks.get(it[1].topic, 0)))
    return [row for _, row in ordered]


def _behind(
    published: list[_Timed], topics: Mapping[str, Topic[Any]], moved: Mapping[int, int]
) -> Iterator[_Timed]:
    """Move what was published behind what was read for it, and what follows it there with it.

    It comes by place; ``moved`` tells which stamps were wrong, and what is believed instead.
    """
    batches = [_batch(row, topics[row.topic]) for _, row in published]
    read = {name: it.read_ms for it in batches if it.read_ms is not None for name in it.names}
    latest: defaultdict[tuple[str, int], int] = defaultdict(int)
    for (at, row), batch in zip(published, batches, strict=True):
        said = batch.read_ms or max((read.get(name, 0) for name in batch.names), default=0)
        until = moved.get(said, said)
        after = max(at, until) if until - at <= _ASTRAY_MS else at
        latest[row[:2]] = max(latest[row[:2]], after)
        yield latest[row[:2]], row


def _batch(row: Row, topic: Topic[Any]) -> _Batch:
    """Read what tells of its batch."""
    try:
        return _told(decode(topic, row.value))
    except UndecodableRecord:
        return _Batch()  # it is counted where it is judged


def _told(record: Record) -> _Batch:
    match record:
        case Assignment():
            held = ((record.group, *it.queue, it.epoch) for it in record.hold)
            return _Batch(((record.group, record.epoch), *held))
        case Group():
            return _Batch(((record.group, record.epoch),), record.at_ms)
        case RebalanceDone():
            return _Batch(((record.group, record.epoch_after),), record.at_ms)
        case Handover() | Granted():
            passed = ((record.group, *queue, record.epoch) for queue in record.queues)
            return _Batch(tuple(passed), record.at_ms)
        case MemberChanged() | Hold():
            return _Batch(read_ms=record.at_ms)
    return _Batch()
