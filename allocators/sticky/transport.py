"""Moving as few queues as possible until every member's load is within its bounds.

A chain of overlapping subscriptions is a flow network. Sources are queues without an owner on their
topics, and surplus queues of members above their upper bound. Sinks are members below their lower
bound, and the *hub*, which counts the queues that members hold beyond it. The edges, for one queue
each:

    topic -> member    the member gets a queue: one move, or none if it had held that one before
    member -> topic    it gives one up: nothing, or one move less if it was new to it
    member <-> hub     it keeps one beyond its lower bound, or gives that one up: nothing

Sending a queue along a cheapest path each time gives the fewest moves: successive shortest paths,
with node prices that keep every cost non-negative so that Dijkstra's search applies (Edmonds and
Karp 1972). Costs are small integers, so the search goes by buckets, and the youngest node of a
bucket first, which finds a member in need at once where there is one.

Called by ``levels``. What was sent so far was always sent at least cost.
"""

from itertools import pairwise

import numpy as np

from allocators.sticky.chain import Chain, Flags
from allocators.sticky.pour import pour
from allocators.sticky.waterline import Ints

NOWHERE = -1
FAR = 2**60
HIGH = 2**14
"""Heaps above this are high, whatever their height: small numbers sort in linear time."""


class Transport:
    """The search for cheapest paths in one chain.

    Nodes are numbered: first the members, then the topics, then the hub.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._members, self._topics = chain.held.shape
        self._hub = self._members + self._topics
        self._price = self._first_prices()
        self._distance: Ints = np.empty(0, np.int64)
        self._came_from: Ints = np.empty(0, np.int64)
        self._buckets: dict[int, list[Ints]] = {}

    def settle(self) -> Flags | None:
        """Send everything. None when all is well, else the nodes that stuck water reaches."""
        pour(self._chain)
        while (sources := self._sources()).size:
            end = self._search(sources)
            if end == NOWHERE:
                return self._distance < FAR
            self._send(end)
            reached = int(self._distance[end])
            self._price += np.minimum(self._distance, reached)
        return None

    def _first_prices(self) -> Ints:
        """Prices that make every step of ``pour`` a cheapest one.

        A queue costs nothing on its topic, and one move anywhere else but where it stands in
        surplus: there, and with nobody, it costs nothing either.
        """
        chain = self._chain
        price = np.ones(self._hub + 1, np.int64)
        price[self._members : self._hub] = 0
        surplus = chain.loads > chain.high
        if chain.hub < 0:
            price[self._hub] = 0
            surplus |= chain.beyond() > 0
        price[: self._members][surplus] = 0
        if chain.nobody:
            price[self._members - 1] = 0
        return price

    def _sources(self) -> Ints:
        chain = self._chain
        over = np.flatnonzero(chain.loads > chain.high)
        free = np.flatnonzero(chain.free) + self._members
        hub = np.arange(self._hub, self._hub + (chain.hub < 0))
        return np.concatenate([over, free, hub])

    def _search(self, sources: Ints) -> int:
        """Find the nearest node that wants water; remember how it was reached."""
        self._distance = np.full(self._hub + 1, FAR, np.int64)
        self._came_from = np.full(self._hub + 1, NOWHERE, np.int64)
        self._distance[sources] = 0
        self._buckets = {0: [sources]}
        done = np.zeros(self._hub + 1, np.bool_)
        while self._buckets:
            distance = min(self._buckets)
            node = self._take(distance)
            if done[node] or self._distance[node] != distance:
                continue
            if self._wants(node):
                return node
            done[node] = True
            self._widen(node, distance)
        return NOWHERE

    def _take(self, distance: int) -> int:
        bucket = self._buckets[distance]
        youngest = bucket.pop()
        if youngest.size > 1:
            bucket.append(youngest[:-1])
        if not bucket:
            del self._buckets[distance]
        return int(youngest[-1])

    def _wants(self, node: int) -> bool:
        if node == self._hub:
            return self._chain.hub > 0
        return node < self._members and bool(self._chain.loads[node] < self._chain.low[node])

    def _widen(self, node: int, distance: int) -> None:
        """Look along every pipe that leads away from ``node``."""
        chain = self._chain
        if node == self._hub:
            self._reach(node, np.flatnonzero(chain.beyond()), 0, distance)
        elif node >= self._members:
            topic = node - self._members
            takers = self._neediest_last(topic)
            new = chain.gets[takers, topic] >= chain.held[takers, topic]
            self._reach(node, takers, new.astype(np.int64), distance)
        else:
            topics = np.flatnonzero(chain.gets[node])
            new = chain.gets[node, topics] > chain.held[node, topics]
            self._reach(node, topics + self._members, -new.astype(np.int64), distance)
            if chain.low[node] <= chain.loads[node] < chain.high[node]:
                self._reach(node, np.array([self._hub]), 0, distance)

    def _neediest_last(self, topic: int) -> Ints:
        """Put those last where the search ends, then low heaps: a bucket's youngest come first."""
        chain = self._chain
        members = np.flatnonzero(chain.may[:, topic])
        heaps = np.minimum(chain.gets[members, topic], HIGH)
        bound = chain.high if chain.hub > 0 else chain.low
        heaps -= HIGH * (chain.loads[members] < bound[members])
        return members[np.argsort(-heaps.astype(np.int16), kind="stable")]

    def _reach(self, node: int, others: Ints, cost: Ints | int, distance: int) -> None:
        there = distance + cost + self._price[node] - self._price[others]
        nearer = there < self._distance[others]
        others, there = others[nearer], there[nearer]
        self._distance[others] = there
        self._came_from[others] = node
        for each in np.unique(there).tolist():
            self._buckets.setdefault(each, []).append(others[there == each])

    def _send(self, end: int) -> None:
        """Send as much as the path to ``end`` takes."""
        path = [end]
        while (before := int(self._came_from[path[-1]])) != NOWHERE:
            path.append(before)
        path.reverse()
        pipes = list(pairwise(path))
        amount = min(self._supply(path[0]), self._need(end), *(self._width(*p) for p in pipes))
        if self._members <= path[0] < self._hub:
            self._chain.free[path[0] - self._members] -= amount
        for node, other in pipes:
            if node < self._members and other != self._hub:
                self._chain.shift(node, other - self._members, -amount)
            elif other < self._members and node != self._hub:
                self._chain.shift(other, node - self._members, amount)
        self._chain.recount()

    def _supply(self, node: int) -> int:
        chain = self._chain
        if node == self._hub:
            return -chain.hub
        if node >= self._members:
            return int(chain.free[node - self._members])
        return int(chain.loads[node] - chain.high[node])

    def _need(self, node: int) -> int:
        chain = self._chain
        return chain.hub if node == self._hub else int(chain.low[node] - chain.loads[node])

    def _width(self, node: int, other: int) -> int:
        """How much the pipe takes before its cost changes."""
        chain = self._chain
        if node == self._hub:
            return int(chain.loads[other] - chain.low[other])
        if other == self._hub:
            return int(chain.high[node] - chain.loads[node])
        if node < self._members:
            gets = int(chain.gets[node, other - self._members])
            new = gets - int(chain.held[node, other - self._members])
            return new if new > 0 else gets
        lost = int(
            chain.held[other, node - self._members] - chain.gets[other, node - self._members]
        )
        return lost if lost > 0 else FAR
