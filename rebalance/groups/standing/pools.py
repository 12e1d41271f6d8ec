"""Pools: who could take one more queue best, found without a look at each rank.

Members that want the same topics are of one *pool*. Whoever is first in its rank is entered there,
and entered anew when that changes; who is not as entered any more is passed over and dropped. So a
choice costs about the same if all members are alike as if each has a weight or a capacity of its
own: 400 of those with 4,000 queues took four seconds, and all groups of their worker waited. But it
asks each pool: what only its owner wants is never chosen for (``settling``).

Used by ``ranks``. Its one rule: whoever is first in its rank, and has room, is entered.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple, TypeVar

from rebalance.allocation import Candidate
from rebalance.ids import MemberId, TopicName


class Kind(NamedTuple):
    """What makes two members alike."""

    topics: frozenset[TopicName]
    weight: int
    capacity: int | None
    rack: str

    @classmethod
    def of(cls, one: Candidate) -> "Kind":
        """Return a candidate's."""
        return cls(one.topics, one.weight, one.capacity, one.rack)

    def bears(self, load: int) -> bool:
        """Tell whether its members may have so many queues."""
        return self.capacity is None or load <= self.capacity


class Place(NamedTuple):
    """Where a member is filed."""

    kind: Kind
    load: int
    burden: int


class Low(NamedTuple):
    """How high a member would stand with two queues more."""

    lift: int
    name: MemberId
    place: Place


class First(NamedTuple):
    """How high a member would stand with one queue more; the lowest is to take it."""

    lift: int
    burden: int
    """Its burden, as a lift."""
    name: MemberId
    place: Place


Entered = TypeVar("Entered", Low, First)


class Pool:
    """All members that want the same topics."""

    def __init__(self, places: dict[MemberId, Place]) -> None:
        """Begin, without any member; ``places`` says where each is filed just now."""
        self._places = places
        self._lows: list[Low] = []
        self._firsts: dict[tuple[int, str], list[First]] = {}
        """By how many queues a member would be beyond its share, and by rack."""

    def enter(self, low: Low, first: First, beyond: int) -> None:
        """Enter a member that is the first of its rank."""
        heappush(self._lows, low)
        heappush(self._firsts.setdefault((beyond, first.place.kind.rack), []), first)

    def lowest(self) -> int | None:
        """Return how high the lowest member would stand with two queues more."""
        low = self._top(self._lows)
        return None if low is None else low.lift

    def firsts(self) -> Iterator[tuple[int, str, First]]:
        """Return the lowest of each rack, apart by how far they would be beyond their shares."""
        for (beyond, rack), heap in [*self._firsts.items()]:
            first = self._top(heap)
            if first is None:  # or a member that takes many would leave one for each
                del self._firsts[beyond, rack]
            else:
                yield beyond, rack, first

    def _top(self, heap: list[Entered]) -> Entered | None:
        """Return the first that is still as it was entered."""
        while heap and self._places.get(heap[0].name) != heap[0].place:
            heappop(heap)
        return heap[0] if heap else None
