"""Evidence: what was published of a group, and what it says about the batches of its controller.

Summaries, rebalances, hand-overs and first grants carry the time of the last record that was read
for them.

Called by ``reading``, which keeps what can concern a group, and by ``matching``. Its one rule: what
cannot be read proves nothing.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from console.copies import without_copies
from streaming.wire.rows import Row
from trimtab.protocol import (
    COMMANDS,
    GROUPS,
    HEARTBEATS,
    HISTORY,
    MEMBERS,
    RELEASES,
    ROCKETMQ,
    ROUTES,
    TICK_KEY,
    Granted,
    Group,
    Handover,
    HistoryRecord,
    RebalanceDone,
    UndecodableRecord,
    decode,
    partition_of,
)

_HEARD = {topic.name for topic in (MEMBERS, HEARTBEATS, RELEASES, COMMANDS)}


@dataclass(slots=True)
class Published:
    """What a group's history says, and when its batches ended."""

    history: list[tuple[Row, HistoryRecord]] = field(default_factory=list)
    summaries: dict[int, Group] = field(default_factory=dict)
    """Those that are still there, by epoch."""

    @classmethod
    def of(cls, group: str, rows: Iterable[Row], prefix: str) -> "Published":
        """Read what there is of a group."""
        found, own = cls(), group.encode()
        told = (f"{prefix}{HISTORY.name}", f"{prefix}{GROUPS.name}")
        theirs = [row for row in rows if row.key == own and row.topic in told]
        theirs.sort(key=lambda row: row[:3])
        for row in without_copies(theirs, lambda row: (row.key, row.value)):
            try:
                if row.topic == told[0]:
                    found.history.append((row, decode(HISTORY, row.value)))
                elif row.value is not None:
                    summary = decode(GROUPS, row.value)
                    found.summaries[summary.epoch] = summary
            except UndecodableRecord:
                continue  # of a later version, or nobody's: it cannot be compared
        return found

    @property
    def ends(self) -> list[int]:
        """The times at which batches ended that decided something."""
        known = {it.at_ms for it in self.summaries.values()}
        return sorted(known | {it.at_ms for it in closing(it for _, it in self.history)})


def about(
    group: str, rows: Iterable[Row], prefix: str, partitions: int, ends: Iterable[int]
) -> list[Row]:
    """Return what its cell hears that can concern a group.

    Of its neighbours only what a starting controller finds of them, as it waits for all of that,
    and what may have been the last record of a batch, by its time.
    """
    last, partition = frozenset(ends), partition_of(group, partitions)
    return [
        row
        for row in rows
        if (row.partition == partition and is_heard(row, group, prefix, last))
        or row.topic == f"{prefix}{ROCKETMQ.name}"
    ]


def is_heard(row: Row, group: str, prefix: str, ends: AbstractSet[int]) -> bool:
    """Tell whether a record in a group's partition can concern it, if batches ended then."""
    name = row.topic.removeprefix(prefix)
    if name == ROUTES.name:
        return True
    concerns = row.key in (group.encode(), TICK_KEY) or row.appended_ms in ends
    return concerns and name in _HEARD


def closing(entries: Iterable[HistoryRecord]) -> Iterator[RebalanceDone | Handover | Granted]:
    """Return the entries that carry the time of the last record of their batch."""
    return (it for it in entries if isinstance(it, RebalanceDone | Handover | Granted))
