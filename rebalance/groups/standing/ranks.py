"""Ranks: who could take one more queue, the least burdened first.

Members of one *kind* (same topics, weight, capacity and rack) and one load are alike for whoever
looks for an heir, except for how many queues they stand heir to already: their *burden*. So they
stand in one sorted list, a *rank*, and a choice looks at the first of each rank only. A group of
thousands has few ranks.

Used by ``register`` and ``settling``. Its one rule: whole numbers, never a float. A *lift* is a
load divided by the weight, times the least common multiple of all weights.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator
from math import lcm
from typing import NamedTuple

from rebalance.allocation import Candidate
from rebalance.ids import MemberId, TopicName

FEW = 64
"""Kinds that are compared with each other, as ``allocators.sticky.parts`` does: 2,016 pairs."""


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


Rank = list[tuple[int, MemberId]]
"""Burden and name of each member of one kind and load, in order."""


class Choice(NamedTuple):
    """Whom to give a queue of which topic."""

    name: MemberId
    topic: TopicName


class Ranks:
    """All members, filed."""

    def __init__(self) -> None:
        self._places: dict[MemberId, Place] = {}
        self._ranks: dict[Kind, dict[int, Rank]] = {}
        self._scale, self._width, self._queues = 1, 1, 0
        self._kinds: list[Kind] = []
        self._wanting: dict[TopicName, list[Kind]] = {}
        self._ceilings: dict[TopicName, int | None] = {}

    def copy(self) -> "Ranks":
        """Return the same, to be changed alone."""
        ranks = Ranks()
        ranks._places = dict(self._places)
        ranks._ranks = {
            kind: {load: list(rank) for load, rank in loads.items()}
            for kind, loads in self._ranks.items()
        }
        return ranks

    def fill(self, places: Iterable[tuple[MemberId, Place]]) -> None:
        """File many at once, into ranks that are empty."""
        self._places = dict(places)
        for name, (kind, load, burden) in self._places.items():
            self._ranks.setdefault(kind, {}).setdefault(load, []).append((burden, name))
        for _, _, rank in self.each():
            rank.sort()

    def file(self, name: MemberId, place: Place) -> None:
        """File a member, or file it anew."""
        if self._places.get(name) == place:
            return
        self.drop(name)
        self._places[name] = place
        rank = self._ranks.setdefault(place.kind, {}).setdefault(place.load, [])
        insort(rank, (place.burden, name))

    def drop(self, name: MemberId) -> Place | None:
        """Take a member out; return where it was."""
        place = self._places.pop(name, None)
        if place is None:
            return None
        loads = self._ranks[place.kind]
        rank = loads[place.load]
        del rank[bisect_left(rank, (place.burden, name))]
        if not rank:
            del loads[place.load]
        if not loads:
            del self._ranks[place.kind]
        return place

    def begin(self, queues: int) -> None:
        """Work out what holds until loads and members change: the unit of lifts, and the shares."""
        self._scale = lcm(*(kind.weight for kind in self._ranks))
        members = ((kind.weight, len(rank)) for kind, _, rank in self.each())
        self._width = sum(weight * count for weight, count in members) or 1
        self._queues = queues
        self._kinds = list(self._ranks)
        self._wanting.clear()
        self._ceilings.clear()

    def each(self) -> Iterator[tuple[Kind, int, Rank]]:
        """Return every rank."""
        for kind, loads in self._ranks.items():
            for load, rank in loads.items():
                yield kind, load, rank

    def lift(self, kind: Kind, load: int) -> int:
        """Return how high a load lifts a member."""
        return load * (self._scale // kind.weight)

    def share(self, kind: Kind) -> int:
        """Return how many queues a member would stand heir to if all did by weight; rounded up."""
        return -(-self._queues * kind.weight // self._width)

    def open_to(self, topic: TopicName) -> Iterator[tuple[Kind, int, Rank]]:
        """Return the ranks whose members want a topic and have room for one more."""
        kinds = self._wanting.get(topic)
        if kinds is None:
            kinds = self._wanting[topic] = [kind for kind in self._kinds if topic in kind.topics]
        for kind in kinds:
            for load, rank in self._ranks.get(kind, {}).items():
                if kind.bears(load + 1):
                    yield kind, load, rank

    def connected(self, kind: Kind) -> Collection[Kind]:
        """Return the kinds whose subscriptions overlap with this one, directly or by others.

        Among more than ``FEW`` kinds nobody looks: all of them.
        """
        if len(self._kinds) > FEW:
            return self._kinds
        near, left = [kind], [it for it in self._kinds if it != kind]
        for one in near:
            overlapping = [it for it in left if not it.topics.isdisjoint(one.topics)]
            near += overlapping
            left = [it for it in left if it not in overlapping]
        return near

    def ceiling(self, topic: TopicName) -> int | None:
        """Return how high the lowest taker of a topic stands with two queues more; kept."""
        if topic not in self._ceilings:
            twos = (self.lift(kind, load + 2) for kind, load, _ in self.open_to(topic))
            self._ceilings[topic] = min(twos, default=None)
        return self._ceilings[topic]

    def choose(self, topics: Collection[TopicName], rack: str) -> tuple[Choice | None, int]:
        """Choose who takes a queue of one of the topics, and how high two would lift the lowest.

        Whoever stands no higher with one more queue than somebody else with two more will do.
        Among those: nobody beyond its share, then of the rack, then the lowest.
        """
        able = [
            (topic, kind, load, rank[0])
            for topic in topics
            for kind, load, rank in self.open_to(topic)
        ]
        if not able:
            return None, 0
        ceiling = min(self.lift(kind, load + 2) for _, kind, load, _ in able)
        _, best = min(
            (
                (
                    max(0, burden + 1 - self.share(kind)),
                    kind.rack != rack,
                    self.lift(kind, load + 1),
                    self.lift(kind, burden),
                    name,
                    topic,
                ),
                Choice(name, topic),
            )
            for topic, kind, load, (burden, name) in able
            if self.lift(kind, load + 1) <= ceiling
        )
        return best, ceiling
