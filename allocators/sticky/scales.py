"""Who holds which queues, by weight: the books of ``weighted``.

Topics that the same members subscribe are one *kind*: to a queue it makes no difference which of
them it is of. A *lift* is a load divided by the member's weight; all lifts are multiplied by the
least common multiple of those weights, so that they are whole numbers.

The same books give the same answers, ties included.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allocators.sticky.catalog import NOBODY, Group
from allocators.sticky.chain import Flags
from allocators.sticky.waterline import Ints

Lifts = NDArray[np.int64] | NDArray[np.object_]

ROOMY = 2**62
"""Numbers below this may be doubled in 64 bits. Larger ones are Python's own, which have no end."""

Entry = tuple[int, bool, int]
"""A queue on a member's shelf: its weight, whether it was the member's before, its number."""


class Move(NamedTuple):
    """A queue for a member."""

    queue: int
    member: int


class Scales:
    """The books. Queues, members and topics are numbers of ``group``."""

    def __init__(self, group: Group, weights: Sequence[int]) -> None:
        people = group.people
        self.weights = weights
        self.before: list[int] = group.owners.tolist()
        self.owner = [NOBODY] * len(weights)
        columns = dict.fromkeys(column.tobytes() for column in people.rows.T)
        number = {column: kind for kind, column in enumerate(columns)}
        kind_of = [number[column.tobytes()] for column in people.rows.T]
        self._topic_of: list[int] = group.catalog.topic_of.tolist()
        self.kind_of = [kind_of[topic] for topic in self._topic_of]
        self.takers: list[Flags] = [
            np.frombuffer(column, np.bool_)[people.subscription] for column in columns
        ]
        self.room: Ints = people.caps.copy()
        whole = lcm(*people.weights.tolist())
        narrow = whole * (sum(weights) + 1) < ROOMY
        self._scale: Lifts = (
            whole // people.weights if narrow else whole // people.weights.astype(object)
        )
        self.lifts: Lifts = np.zeros_like(self._scale)
        self._racks = people.racks
        self._heaps = np.zeros((len(kind_of), len(group.members)), np.int32)
        self.shelves: list[dict[int, list[Entry]]] = [{} for _ in group.members]

    def give(self, queue: int, member: int) -> None:
        """Book a queue that nobody has."""
        insort(self.shelves[member].setdefault(self.kind_of[queue], []), self._entry(queue, member))
        self._book(queue, member, 1)
        self.owner[queue] = member

    def take(self, queue: int) -> None:
        """Book a queue out."""
        member, kind = self.owner[queue], self.kind_of[queue]
        shelf = self.shelves[member][kind]
        del shelf[bisect_left(shelf, self._entry(queue, member))]
        if not shelf:
            del self.shelves[member][kind]
        self._book(queue, member, -1)
        self.owner[queue] = NOBODY

    def move(self, queue: int, member: int) -> None:
        """Book a queue over."""
        self.take(queue)
        self.give(queue, member)

    def welcomes(self, kind: int) -> bool:
        """Say whether somebody who may have this kind has room."""
        return bool((self.room[self.takers[kind]] > 0).any())

    def lowest(self, queue: int) -> int:
        """Return who would stand lowest with the queue, of those that have room; or NOBODY."""
        return self._lowest(queue, self.takers[self.kind_of[queue]] & (self.room > 0))

    def step(self, member: int) -> Sequence[Move]:
        """Return the step that levels ``member`` most with somebody more than a queue below.

        That is with somebody who would stand lower with the heaviest queue that it may have of the
        member's than the member does now. Who has no room gives a lighter one for it.
        """
        heaviest = np.zeros_like(self.lifts)
        for kind, shelf in self.shelves[member].items():
            heaviest = np.where(self.takers[kind], np.maximum(heaviest, shelf[-1][0]), heaviest)
        able = heaviest > 0
        able[member] = False
        below = np.flatnonzero(able & (self.lifts + heaviest * self._scale < self.lifts[member]))
        roomy = below[self.room[below] > 0]
        if not roomy.size:
            full = below[self.lifts[below].argsort(kind="stable")].tolist()
            swaps = (self._swap(member, other, int(heaviest[other])) for other in full)
            return next(filter(None, swaps), ())
        taker = int(roomy[self.lifts[roomy].argmin()])
        half = self._half(member, taker)
        near = [it for shelf in self._shelves_for(member, taker) for it in _near(shelf, half)]
        _, (_, _, queue) = min((self._lower(member, taker, entry[0]), entry) for entry in near)
        return (Move(queue, taker),)

    def can_step(self, member: int) -> bool:
        """Say quickly whether there may be a step: for queues as light as its lightest heaviest."""
        light = min((shelf[-1][0] for shelf in self.shelves[member].values()), default=0)
        return bool(light and (self.lifts + light * self._scale).min() < self.lifts[member])

    def _swap(self, member: int, other: int, heaviest: int) -> Sequence[Move]:
        """Return how two members exchange a queue for a lighter one so that they stand near.

        One of the two queues is the heaviest or the lightest: to compare all would take the square.
        """
        theirs = self._shelves_for(other, member)
        lightest = min((shelf[0] for shelf in theirs), default=None)
        if lightest is None or lightest[0] >= heaviest:
            return ()
        mine, half = self._shelves_for(member, other), self._half(member, other)
        most = max(shelf[-1] for shelf in mine)
        pairs = [(it, lightest) for shelf in mine for it in _near(shelf, lightest[0] + half)]
        pairs += [(most, it) for shelf in theirs for it in _near(shelf, most[0] - half)]
        _, one, entry = min(
            (self._lower(member, other, one[0] - entry[0]), one, entry)
            for one, entry in pairs
            if one[0] > entry[0]
        )
        return Move(entry[2], member), Move(one[2], other)

    def _shelves_for(self, member: int, taker: int) -> list[list[Entry]]:
        """Return the queues of a member that another one may have, kind by kind."""
        shelves = self.shelves[member].items()
        return [shelf for kind, shelf in shelves if self.takers[kind][taker]]

    def _half(self, member: int, taker: int) -> int:
        """Return the weight that would level the two."""
        gap = int(self.lifts[member] - self.lifts[taker])
        return gap // int(self._scale[member] + self._scale[taker])

    def _lower(self, member: int, taker: int, weight: int) -> int:
        """Return how high the higher of the two stands once the weight has gone over."""
        after = self.lifts[taker] + weight * self._scale[taker]
        return int(max(after, self.lifts[member] - weight * self._scale[member]))

    def _lowest(self, queue: int, takers: Flags) -> int:
        """Among those alike: the owner before, its rack, the heavy, those with few of the topic."""
        able = np.flatnonzero(takers)
        if not able.size:
            return NOBODY
        lifts = self.lifts[able] + self.weights[queue] * self._scale[able]
        alike = able[lifts == lifts.min()]
        before = self.before[queue]
        if alike.size > 1 and before != NOBODY:
            alike = _narrowed(alike, alike != before)
            alike = _narrowed(alike, self._racks[alike] != self._racks[before])
        alike = _narrowed(alike, self._scale[alike])
        return int(_narrowed(alike, self._heaps[self._topic_of[queue], alike])[0])

    def _entry(self, queue: int, member: int) -> Entry:
        return self.weights[queue], self.before[queue] == member, queue

    def _book(self, queue: int, member: int, sign: int) -> None:
        self.lifts[member] += sign * self.weights[queue] * self._scale[member]
        self.room[member] -= sign
        self._heaps[self._topic_of[queue], member] += sign


def _narrowed(members: Ints, dislike: NDArray[np.generic]) -> Ints:
    """Keep those of least dislike."""
    least: Ints = members[dislike == dislike.min()]
    return least


def _near(shelf: list[Entry], weight: int) -> list[Entry]:
    """Return the queues on a shelf whose weights are nearest to one."""
    place = bisect_left(shelf, (weight + 1,))
    return shelf[max(place - 1, 0) : place + 1]
