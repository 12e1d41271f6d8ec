"""Ranks: who could take one more queue, the least burdened first.

Members of one *kind* (same topics, weight, capacity and rack) and one load are alike for whoever
looks for an heir, except for how many queues they stand heir to already: their *burden*. So they
stand in one sorted list, a *rank*, and a choice looks at the first of some ranks only (``pools``).
A group of thousands has few ranks.

Used by ``register`` and ``settling``. Its one rule: whole numbers, never a float. A *lift* is a
load divided by the weight, times the least common multiple of all weights.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator
from math import lcm
from typing import NamedTuple

from rebalance.groups.standing.pools import First, Kind, Low, Place, Pool
from rebalance.ids import MemberId, TopicName

FEW = 64
"""Kinds that are compared with each other, as ``allocators.sticky.parts`` does: 2,016 pairs."""


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
        self._pools: dict[frozenset[TopicName], Pool] | None = None
        """By what their members want; None: nobody has asked for them since ``begin``."""
        self._suited: dict[TopicName, list[Pool]] = {}

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
        self._enter(place.kind, place.load)

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
        self._enter(place.kind, place.load)
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
        self.rest()

    def rest(self) -> None:
        """Keep only what the next deal needs: groups are kept by the thousand."""
        self._pools = None
        self._suited.clear()

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

    @property
    def are_few(self) -> bool:
        """Tell whether kinds are few enough to look at each rank."""
        return len(self._kinds) <= FEW

    def open_to(self, topic: TopicName) -> Iterator[tuple[Kind, int, Rank]]:
        """Return the ranks whose members want a topic and have room for one more."""
        for kind in self._wanted(topic):
            for load, rank in self._ranks.get(kind, {}).items():
                if kind.bears(load + 1):
                    yield kind, load, rank

    def is_wanted_beside(self, topic: TopicName, kind: Kind | None) -> bool:
        """Tell whether anybody wants a topic beside one member of this kind."""
        for one in self._wanted(topic):
            if one != kind or sum(map(len, self._ranks[one].values())) > 1:
                return True
        return False

    def _wanted(self, topic: TopicName) -> Collection[Kind]:
        """Return the kinds that want a topic; each may have topics of its own."""
        if not self._wanting:
            for kind in self._kinds:
                for wanted in kind.topics:
                    self._wanting.setdefault(wanted, []).append(kind)
        return self._wanting.get(topic, ())

    def connected(self, kind: Kind) -> Collection[Kind]:
        """Return the kinds whose subscriptions overlap with this one, directly or by others.

        Among more than ``FEW`` kinds nobody looks: all of them.
        """
        if not self.are_few:
            return self._ranks.keys()
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
        ceiling = self.lowest(topics)
        if ceiling is None:
            return None, 0
        _, _, first = min(
            (beyond, its_rack != rack, first)
            for pool in self._suiting(topics)
            for beyond, its_rack, first in pool.firsts()
            if first.lift <= ceiling
        )
        topic = min(topic for topic in topics if topic in first.place.kind.topics)
        return Choice(first.name, topic), ceiling

    def lowest(self, topics: Collection[TopicName]) -> int | None:
        """Return how high the lowest taker of one of the topics stands with two queues more."""
        found = (pool.lowest() for pool in self._suiting(topics))
        return min((lift for lift in found if lift is not None), default=None)

    def _suiting(self, topics: Collection[TopicName]) -> Collection[Pool]:
        """Return the pools whose members want one of the topics."""
        if self._pools is None:
            self._pools = {}
            for kind in self._kinds:
                self._pools.setdefault(kind.topics, Pool(self._places))
            for kind, load, _ in self.each():
                self._enter(kind, load)
        for topic in topics:
            if topic not in self._suited:
                pools = self._pools.items()
                self._suited[topic] = [pool for wanted, pool in pools if topic in wanted]
        return dict.fromkeys(pool for topic in topics for pool in self._suited[topic])

    def _enter(self, kind: Kind, load: int) -> None:
        """Enter the first of a rank in its pool, if it has room."""
        rank = self._ranks.get(kind, {}).get(load)
        if self._pools is None or not rank or not kind.bears(load + 1):
            return
        burden, name = rank[0]
        place = self._places[name]
        first = First(self.lift(kind, load + 1), self.lift(kind, burden), name, place)
        beyond = max(0, burden + 1 - self.share(kind))
        self._pools[kind.topics].enter(Low(self.lift(kind, load + 2), name, place), first, beyond)
