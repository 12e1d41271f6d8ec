"""Evidence: what was published of a group, and what it says about the batches of its controller.

Summaries, rebalances, hand-overs and first grants carry the time of the last record that was read
for them.

Called by ``reading``, which keeps what can concern a group, and by ``matching``. Its one rule: what
cannot be read proves nothing.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

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

TOGETHER_MS = 100
"""Records of several topics that are so near each other may be read by two batches."""
_HEARD = {topic.name for topic in (MEMBERS, HEARTBEATS, RELEASES, COMMANDS)}


class End(NamedTuple):
    """The end of a batch that decided something about a group."""

    at_ms: int
    """When its last record was appended."""
    after: int | None = None
    """The epoch that it drew, if it is known."""
    before: int | None = None
    """The one that stood until then."""


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

    def ends(self) -> list[End]:
        """Return when batches ended that decided something, in their order.

        Each draws one epoch. So where it is known before which a later one ended, it is of this.
        """
        ends, later = list[End](), None
        for end in reversed(list(self._ends())):
            later = later - 1 if end.before is None and later is not None else end.before
            ends.append(end._replace(before=later))
        return ends[::-1]

    def _ends(self) -> Iterator[End]:
        """Put what the history tells between what is left of the summaries."""
        told = list(_told(closing(it for _, it in self.history)))
        known = {it.after for it in told}
        left = deque(it for epoch, it in sorted(self.summaries.items()) if epoch not in known)
        for end in told:
            while left and _precedes(left[0], end):
                yield _of_summary(left.popleft())
            if left and end.after is None and left[0].at_ms == end.at_ms:
                yield _of_summary(left.popleft())
            else:
                yield end
        yield from map(_of_summary, left)


def _told(entries: Iterable[RebalanceDone | Handover | Granted]) -> Iterator[End]:
    """Return the ends that the history tells; of a batch's entries, the rebalance is the first."""
    last: End | None = None
    for entry in entries:
        match entry:
            case RebalanceDone():
                end = End(entry.at_ms, entry.epoch_after, entry.epoch_before)
            case Granted():
                end = End(entry.at_ms, entry.epoch, entry.epoch - 1)
            case _:
                end = End(entry.at_ms)  # its tokens may have been promised long before
        if last is None or isinstance(entry, RebalanceDone) or not _is_same(last, end):
            yield from () if last is None else (last,)
            last = end
        elif last.after is None:
            last = end
    yield from () if last is None else (last,)


def _is_same(one: End, other: End) -> bool:
    return one.at_ms == other.at_ms and (
        None in (one.after, other.after) or one.after == other.after
    )


def _precedes(summary: Group, end: End) -> bool:
    return summary.at_ms < end.at_ms if end.after is None else summary.epoch < end.after


def _of_summary(summary: Group) -> End:
    return End(summary.at_ms, summary.epoch, summary.epoch - 1)


def about(
    group: str, rows: Iterable[Row], prefix: str, partitions: int, ends: Iterable[End]
) -> list[Row]:
    """Return what its cell hears that can concern a group.

    Of its neighbours only what a starting controller finds of them, as it waits for all of that,
    and what may have been the last record of a batch, by its time.
    """
    last, partition = times(ends), partition_of(group, partitions)
    return [
        row
        for row in rows
        if (row.partition == partition and is_heard(row, group, prefix, last))
        or row.topic == f"{prefix}{ROCKETMQ.name}"
    ]


def times(ends: Iterable[End]) -> frozenset[int]:
    """Return when they were."""
    return frozenset(it.at_ms for it in ends)


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
