"""Circulars: records that concern groups of many cells.

A RocketMQ client sends one heartbeat for all groups that it is a member of, and those live wherever
their names lead. So the record is delivered to every cell, as a circular to every office, and each
office takes out what is said of its own groups. There it is read against the office's own clock,
as a join is. What cannot be understood of it is returned by one office only: that of its own key.

Called by ``decoding``. Its one rule: over all offices, each statement is taken exactly once.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from streaming.rows import Row
from streaming.slots import slot_of
from trimtab.protocol import (
    ROCKETMQ,
    Statement,
    UndecodableRecord,
    partition_of,
    statements,
)


class Office(NamedTuple):
    """One cell, by its place."""

    partition: int
    slot: int = 0
    slots: int = 1
    """How many cells share the partition."""

    def keeps(self, partition: int, key: bytes | None) -> bool:
        """Tell whether records of this partition and key are dealt to this cell."""
        return partition == self.partition and slot_of(key, self.slots) == self.slot


class Circular(NamedTuple):
    """A record, read."""

    statements: Mapping[bytes, Statement]
    """What it says of each group; of one that is named twice, the last."""
    fault: UndecodableRecord | None
    """The first thing in it that cannot be understood."""


def taken(
    row: Row, office: Office | None, partitions: int
) -> Iterator[Statement | UndecodableRecord]:
    """Yield what an office takes out of a circular: nobody's office takes everything."""
    said, fault = _oversize(row.size) if row.size > ROCKETMQ.max_record_bytes else _read(row.value)
    for group, statement in said.items():
        if office is None or office.keeps(partition_of(group, partitions), group):
            yield statement
    if fault is not None and (office is None or office.keeps(row.partition, row.key)):
        yield fault


def _oversize(size: int) -> Circular:
    limit = ROCKETMQ.max_record_bytes
    return Circular({}, UndecodableRecord("oversize", f"{size} bytes, more than {limit}"))


@lru_cache(maxsize=64)
def _read(value: bytes | None) -> Circular:
    """Read a record; remembered, since a worker has several cells and each is handed it."""
    said: dict[bytes, Statement] = {}
    fault = None
    try:
        for statement in statements(value):
            if isinstance(statement, UndecodableRecord):
                fault = fault or statement
            else:
                said[statement.group.encode()] = statement
    except UndecodableRecord as error:
        return Circular({}, error)
    return Circular(said, fault)
