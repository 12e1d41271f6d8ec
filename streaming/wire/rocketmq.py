"""Circulars: records that concern groups of many cells.

A RocketMQ client sends one heartbeat for all its groups, which live in different cells. So the
record is delivered to every cell, and each takes what is said of its own groups, by its own clock,
as with a join. A record that cannot be understood becomes a dead letter in one cell only: that of
its key.

Called by ``decoding``. Its one rule: over all cells, each statement is taken exactly once.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from streaming.wire.rows import Row
from streaming.wire.slots import slot_of
from trimtab.protocol import (
    ROCKETMQ,
    Statement,
    UndecodableRecord,
    partition_of,
    statements,
)

_SMALL: Final = 4096
"""Bytes of a heartbeat as most are: of a few groups."""


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
    said, fault = _circular(row)
    for group, statement in said.items():
        if office is None or office.keeps(partition_of(group, partitions), group):
            yield statement
    if fault is not None and (office is None or office.keeps(row.partition, row.key)):
        yield fault


def _circular(row: Row) -> Circular:
    limit = ROCKETMQ.max_record_bytes
    if row.size > limit:
        detail = f"{row.size} bytes, more than {limit}"
        return Circular({}, UndecodableRecord("oversize", detail))
    return _read_small(row.value) if row.size <= _SMALL else _read_large(row.value)


def _read(value: bytes | None) -> Circular:
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


# A worker has several cells, and each is handed every record: most are read only once. What they
# take is bounded, some 16 MB of each sort when all are as large as can be.
_read_small: Final = lru_cache(maxsize=4096)(_read)
_read_large: Final = lru_cache(maxsize=16)(_read)
