"""Rows: the records of Kafka as the pipeline hands them to a cell.

A cell gets its rows in whatever order the shuffle brings them. ``in_log_order`` puts them back
into the order of the log: by append time and then by place. Within one partition the order of
offsets is never broken, even where a broker's clock jumped back (fault B2): a record counts as
appended no earlier than those before it.

Made by ``cell_operator``, read by ``cell``. Its one rule: the order depends on the records of
the batch alone, never on how they were shuffled; within a partition it is that of the offsets.
"""

from collections.abc import Iterable
from operator import itemgetter
from typing import Final, NamedTuple

from rebalance.ids import Position, TopicName


class Row(NamedTuple):
    """One record, with the columns of ``pipeline`` in their order."""

    topic: str
    partition: int
    offset: int
    appended_ms: int
    key: bytes | None
    value: bytes | None
    """The first bytes only, when it is longer than any record may be."""
    size: int
    """How long the value really is."""

    @property
    def position(self) -> Position:
        """Where in the log the record stands."""
        return Position(TopicName(self.topic), self.partition, self.offset)


_OFFSET: Final = itemgetter(2)
_TIME: Final = itemgetter(0)


def in_log_order(rows: Iterable[Row]) -> list[Row]:
    """Sort by (append time, topic, partition, offset), times of a partition never going back.

    No two records of a log share a place; those of a recording that do stay as they came.
    """
    partitions: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        partitions.setdefault(row[:2], []).append(row)
    timed = []
    for _, appended in sorted(partitions.items()):
        latest = 0
        for row in sorted(appended, key=_OFFSET):
            latest = max(latest, row.appended_ms)
            timed.append((latest, row))
    timed.sort(key=_TIME)  # by time alone: a tie leaves them by topic, partition and offset
    return [row for _, row in timed]
