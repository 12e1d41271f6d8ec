"""Spreading each topic evenly, as far as loads and moves leave freedom.

Two allocations with the same fairest loads and the same fewest moves differ by swaps: A gives B a
queue of one topic, B gives A one of another, perhaps round a longer ring and through the hub. So
look for a ring of swaps that lowers the sum of squares of all counts (which is least when every
topic is as even as it can be), and swap, until there is none. With convex costs no ring means
optimal (Klein 1967, negative cycles), so this is exact; a move outweighs any sum of squares.

Rings are found by Bellman and Ford's algorithm on the whole table at once. The number of rings
grows with the table, so ``sticky`` sends only tables up to ``EXACT_CELLS`` here, and larger ones
to ``swaps``: a bound on work, counted in cells and never in seconds, so that the answer does not
depend on the machine.

Its one rule: loads stay within their bounds and moves never rise.
"""

import numpy as np

from allocators.chain import Chain
from allocators.waterline import Ints

EXACT_CELLS = 4096
"""64 members on 64 topics, or 400 on 10."""

FAR = 2**50
NOWHERE = -1


def smooth(chain: Chain) -> None:
    """Swap until no ring of swaps spreads the topics better."""
    while ring := _Rings(chain).find():
        for node, other in zip(ring, ring[1:] + ring[:1], strict=True):
            _swap(chain, node, other)


def _swap(chain: Chain, node: int, other: int) -> None:
    members, topics = chain.gets.shape
    hub = members + topics
    if node < members and other != hub:
        chain.shift(node, other - members, -1)
    elif other < members and node != hub:
        chain.shift(other, node - members, 1)


class _Rings:
    """One search for a ring that pays. Nodes: members, then topics, then the hub."""

    def __init__(self, chain: Chain) -> None:
        gets, held = chain.gets, chain.held
        self._members, self._topics = gets.shape
        self._hub = self._members + self._topics
        move = 4 * (int(gets.max(initial=0)) + 1) * (self._hub + 1)
        counts = 2 * gets
        if chain.nobody:
            counts[-1] = 0
        self._gain = np.where(chain.may, counts + 1 + move * (gets >= held), FAR)
        self._lose = np.where(gets > 0, 1 - counts - move * (gets > held), FAR)
        if chain.nobody:
            self._gain[-1], self._lose[-1] = 0, np.where(gets[-1] > 0, 0, FAR)
        self._leave: Ints = np.where(chain.loads < chain.high, 0, FAR)
        self._enter: Ints = np.where(chain.loads > chain.low, 0, FAR)
        self._cost: Ints = np.zeros(self._hub + 1, np.int64)
        self._came_from: Ints = np.full(self._hub + 1, NOWHERE, np.int64)

    def find(self) -> list[int]:
        """Return the nodes of a ring that pays, in the order of the flow; none when there is none.

        Costs that still sink after as many rounds as there are nodes prove a ring; it shows
        earlier, as a ring of the pointers back.
        """
        while self._round():
            ring = self._closed()
            if ring:
                return ring
        return []

    def _round(self) -> bool:
        members, hub = self._members, self._hub
        everybody, topics = self._cost[:members], self._cost[members:hub]
        sank = self._sink(members, everybody[:, None] + self._lose, 0)
        sank |= self._sink(hub, (everybody + self._leave)[:, None], 0)
        sank |= self._sink(0, (topics + self._gain).T, members)
        through_hub = np.broadcast_to(self._cost[hub] + self._enter, (1, members))
        return self._sink(0, through_hub, hub) | sank

    def _sink(self, first: int, costs: Ints, sources: int) -> bool:
        """Lower the costs of nodes from ``first`` on, a column each, to the least of its column."""
        best = costs.argmin(axis=0)
        least = costs[best, np.arange(costs.shape[1])]
        here = slice(first, first + costs.shape[1])
        lower = least < self._cost[here]
        self._cost[here][lower] = least[lower]
        self._came_from[here][lower] = best[lower] + sources
        return bool(lower.any())

    def _closed(self) -> list[int]:
        """Follow the pointers back from every node, each pointer once."""
        came_from = self._came_from.tolist()
        seen_by = [NOWHERE] * len(came_from)
        for start in range(len(came_from)):
            node = start
            while node != NOWHERE and seen_by[node] == NOWHERE:
                seen_by[node] = start
                node = came_from[node]
            if node != NOWHERE and seen_by[node] == start:
                ring = [node]
                while (before := came_from[ring[-1]]) != node:
                    ring.append(before)
                return ring[::-1]
        return []
