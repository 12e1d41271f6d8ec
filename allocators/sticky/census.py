"""Members as arrays: what each of them is, counted by kinds.

Members that subscribe the same topics, with the same weight, cap and rack, are of one kind, and a
group of thousands has few kinds. So each kind is looked at once, and each member gets the number
of its kind.

Called by ``catalog``. Topics that have no queues do not make two subscriptions differ.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from allocators.sticky.chain import Flags
from allocators.sticky.waterline import UNLIMITED, Ints
from rebalance.allocation import Candidate
from rebalance.ids import TopicName

Rows = Mapping[frozenset[TopicName], Flags]
"""Each distinct subscription, and which topics of the catalog it names."""

Kind = tuple[frozenset[TopicName], int, int | None, str]

_kind = attrgetter("topics", "weight", "capacity", "rack")


@dataclass(frozen=True, slots=True)
class Census:
    """One entry a member, and the rows that ``subscription`` points to."""

    subscription: Ints
    weights: Ints
    caps: Ints
    racks: Ints
    rows: Flags
    row_of: Rows
    """The same rows by subscription, for the next time."""


def census(candidates: Iterable[Candidate], topics: Sequence[TopicName], known: Rows) -> Census:
    """Count the members; ``known`` are the rows of these topics from the last time."""
    kinds: list[Kind] = list(map(_kind, candidates))
    number = {kind: each for each, kind in enumerate(dict.fromkeys(kinds))}
    if len(number) == 1:
        kind_of = np.zeros(len(kinds), np.int64)
    else:
        kind_of = np.fromiter(map(number.__getitem__, kinds), np.int64, len(kinds))
    row_of = _rows({subscription for subscription, _, _, _ in number}, topics, known)
    distinct = dict.fromkeys(row.tobytes() for row in row_of.values())
    place_of = {row_bytes: each for each, row_bytes in enumerate(distinct)}
    places = {subscription: place_of[row.tobytes()] for subscription, row in row_of.items()}
    racks = {rack: each for each, rack in enumerate(sorted({rack for _, _, _, rack in number}))}
    return Census(
        np.array([places[topics] for topics, _, _, _ in number], np.int64)[kind_of],
        np.array([weight for _, weight, _, _ in number], np.int64)[kind_of],
        np.array([_most(cap) for _, _, cap, _ in number], np.int64)[kind_of],
        np.array([racks[rack] for _, _, _, rack in number], np.int64)[kind_of],
        np.frombuffer(bytearray().join(place_of), np.bool_).reshape(len(place_of), len(topics)),
        row_of,
    )


def _most(cap: int | None) -> int:
    """A cap may be as large as the wire allows: a thousand of those are too large to add up."""
    return UNLIMITED if cap is None else min(cap, UNLIMITED)


def _rows(
    subscriptions: Collection[frozenset[TopicName]], topics: Sequence[TopicName], known: Rows
) -> Rows:
    if known.keys() >= set(subscriptions):
        return {each: known[each] for each in subscriptions}
    places = _Places(topics)
    return {each: known[each] if each in known else _row(each, places) for each in subscriptions}


class _Places(dict[TopicName, bytes]):
    """Where each topic stands, as the bytes of an integer; unknown ones behind the last one.

    Bytes, because they join into an array three times as fast as integers are read into one.
    """

    def __init__(self, topics: Sequence[TopicName]) -> None:
        numbers = np.arange(len(topics) + 1)
        codes = (number.tobytes() for number in numbers)
        super().__init__(zip(topics, codes, strict=False))
        self._outside: bytes = numbers[-1].tobytes()

    def __missing__(self, topic: TopicName) -> bytes:
        return self._outside


def _row(subscription: frozenset[TopicName], places: _Places) -> Flags:
    """Flag the topics; those that are not in the catalog flag a place behind the last one."""
    row = np.zeros(len(places) + 1, np.bool_)
    row[np.frombuffer(b"".join(map(places.__getitem__, subscription)), np.int64)] = True
    return row[:-1]
