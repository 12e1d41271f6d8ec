"""Rows: the records of Kafka as the pipeline hands them to a cell.

The shuffle brings a cell its rows in any order. ``in_log_order`` puts them back into the order of
the log: by append time and then by place. Within one partition the order of offsets is never
broken, even where a broker's clock jumped (fault B2): a record whose time is out of line counts as
appended with the one before it.

Made by ``cell_operator``, read by ``fold``. Its one rule: the order depends on the records of the
batch alone, never on how they were shuffled; within a partition it is that of the offsets.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from rebalance.ids import Position, TopicName

LARGE_BYTES: Final = 4 * 1024
"""A value above this is looked through before it comes to Python. A batch full of others, 300,000,
is less than the 2 GB that Spark can hand to a cell at once. Most are a few hundred bytes."""


class Row(NamedTuple):
    """One record, with the columns of ``pipeline`` in their order."""

    topic: str
    partition: int
    offset: int
    appended_ms: int
    key: bytes | None
    value: bytes | None
    """The first bytes only, when it is longer than any record may be, or large and of no kind."""
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

    A stamp that is out of line moves its own record and no others: if all that follow counted as
    appended no earlier, a join that was written long after a wrong stamp would be read before the
    beats of that time, and look old.

    No two records of a log share a place; those of a recording that do stay as they came.
    """
    ordered = timed(rows)
    ordered.sort(key=_TIME)  # by time alone: a tie leaves them by topic, partition and offset
    return [row for _, row in ordered]


def timed(rows: Iterable[Row]) -> list[tuple[int, Row]]:
    """Say when records were appended, times of a partition never going back; by place."""
    partitions: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        partitions.setdefault(row[:2], []).append(row)
    found = list[tuple[int, Row]]()
    for _, appended in sorted(partitions.items()):
        appended.sort(key=_OFFSET)
        found += zip(_believed([row.appended_ms for row in appended]), appended, strict=True)
    return found


def _believed(stamps: Sequence[int]) -> Sequence[int]:
    """Return when the records of a partition were appended, as most of their stamps have it.

    Those are the longest run without a step back (found by patience sorting). Any other one, of a
    clock that jumped, counts as appended with the one before it.
    """
    if all(one <= other for one, other in pairwise(stamps)):
        return stamps
    least: list[int] = []
    """By length, the least stamp that a run so long ends with, and where that stands."""
    ends: list[int] = []
    before: list[int] = []
    longest = last = 0
    for place, stamp in enumerate(stamps):
        length = bisect_right(least, stamp)
        before.append(ends[length - 1] if length else -1)
        least[length : length + 1], ends[length : length + 1] = [stamp], [place]
        if length + 1 == len(least) > longest:
            last, longest = place, len(least)
    kept = set[int]()
    while last >= 0:
        kept.add(last)
        last = before[last]
    time = stamps[min(kept)]
    return [time := stamp if place in kept else time for place, stamp in enumerate(stamps)]
