"""RocketMQ heartbeats: each names groups of many cells.

A RocketMQ client sends one heartbeat for all its groups, which live in different cells. So the
record is delivered to every cell, and each takes what is said of its own groups, by its own clock,
as with a join. A record that cannot be understood becomes a dead letter in one cell only: that of
its key.

Called by ``decoding``. Its one rule: over all cells, each registration change is taken exactly
once.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from streaming.wire.rows import Row
from streaming.wire.slots import slot_of
from trimtab.protocol import (
    ROCKETMQ,
    RegistrationChange,
    UndecodableRecord,
    partition_of,
    registration_changes,
)

_SMALL: Final = 4096
"""Bytes of a heartbeat as most are: of a few groups."""


class CellPlace(NamedTuple):
    """One cell, by its place."""

    partition: int
    slot: int = 0
    slots: int = 1
    """How many cells share the partition."""

    def keeps(self, partition: int, key: bytes | None) -> bool:
        """Tell whether records of this partition and key are dealt to this cell."""
        return partition == self.partition and slot_of(key, self.slots) == self.slot


class _Heartbeat(NamedTuple):
    """A record, read."""

    changes: Mapping[bytes, tuple[int, RegistrationChange]]
    """What it says of each group, and the group's partition; of one that is named twice, the last.
    """
    fault: UndecodableRecord | None
    """The first thing in it that cannot be understood."""


def taken(
    row: Row, cell: CellPlace | None, partitions: int
) -> Iterator[RegistrationChange | UndecodableRecord]:
    """Yield what a cell takes out of a heartbeat; without a cell, everything."""
    said, fault = _heartbeat(row, partitions)
    for group, (partition, change) in said.items():
        if cell is None or cell.keeps(partition, group):
            yield change
    if fault is not None and (cell is None or cell.keeps(row.partition, row.key)):
        yield fault


def _heartbeat(row: Row, partitions: int) -> _Heartbeat:
    limit = ROCKETMQ.max_record_bytes
    if row.size > limit:
        detail = f"{row.size} bytes, more than {limit}"
        return _Heartbeat({}, UndecodableRecord("oversize", detail))
    read = _read_small if row.size <= _SMALL else _read_large
    return read(row.value, partitions)


def _read(value: bytes | None, partitions: int) -> _Heartbeat:
    said: dict[bytes, tuple[int, RegistrationChange]] = {}
    fault = None
    try:
        for change in registration_changes(value):
            if isinstance(change, UndecodableRecord):
                fault = fault or change
            else:
                group = change.group.encode()
                said[group] = partition_of(group, partitions), change
    except UndecodableRecord as error:
        return _Heartbeat({}, error)
    return _Heartbeat(said, fault)


# A worker has several cells, and each is handed every record: most are read only once. A client
# says the same every 30 s, so of a fleet that has room here none is read again, and a backlog of
# its heartbeats is not read anew by each cell. One of four groups takes 8 KB with what is read in
# it. All is bounded: 64 MB of the one sort and 4 MB of the other when all are as large as can be,
# and two or three times that of what is read in them.
_read_small: Final = lru_cache(maxsize=16_384)(_read)
_read_large: Final = lru_cache(maxsize=16)(_read)
