"""Rows: the records of Kafka as the pipeline hands them to a cell.

A cell gets its rows in whatever order the shuffle brings them. ``in_log_order`` puts them back
into the order of the log: by append time and then by place. Within one partition the order of
offsets is never broken, even where a broker's clock jumped back (fault B2): a record counts as
appended no earlier than those before it.

Made by ``cell_operator``, read by ``cell``. Its one rule: the order depends on the records of
the batch alone, never on how they were shuffled; within a partition it is that of the offsets.
"""

from collections.abc import Iterable
from typing import NamedTuple

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


def in_log_order(rows: Iterable[Row]) -> list[Row]:
    """Sort by (append time, topic, partition, offset), times of a partition never going back."""
    latest: dict[tuple[str, int], int] = {}
    timed = []
    for row in sorted(rows):  # by topic, partition, offset: no two rows share these
        partition = row[:2]
        latest[partition] = max(row.appended_ms, latest.get(partition, 0))
        timed.append((latest[partition], row))
    timed.sort()
    return [row for _, row in timed]
