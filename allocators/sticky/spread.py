"""Spreading each topic evenly, as far as loads and moves leave freedom.

Two allocations with the same fairest loads and the same fewest moves differ by swaps: A gives B a
queue of one topic, B gives A one of another, perhaps round a longer ring and through the hub. So
look for a ring of swaps that lowers the sum of squares of all counts (which is least when every
topic is as even as it can be), and swap, until there is none. With convex costs no ring means
optimal (Klein 1967, negative cycles), so this is exact; a move outweighs any sum of squares, and a
square any number of queues that stay in their rack.

Rings are found by Bellman and Ford's algorithm on the whole table at once. The number of rings
grows with the table, so ``sticky`` sends only tables up to ``EXACT_CELLS`` here, and larger ones
to ``swaps``: a bound on work, counted in cells and never in seconds, so that the answer does not
depend on the machine.

Its one rule: loads stay within their bounds and moves never rise.
"""

import numpy as np

from allocators.sticky.chain import Chain
from allocators.sticky.waterline import Ints

EXACT_CELLS = 4096
"""64 members on 64 topics, or 400 on 10."""

NOWHERE = -1
WIDE = 2**62
"""No cost is as large, nor the sum of all that a ring saves."""


def smooth(chain: Chain, racks: Ints, homes: Ints) -> None:
    """Swap until no ring of swaps spreads the topics better, or keeps more queues in their rack.

    ``racks`` are the rows' racks; ``homes`` how many queues of each topic were in each rack.
    """
    while ring := _Rings(chain, racks, homes).find():
        for node, other in zip(ring, ring[1:] + ring[:1], strict=True):
            _swap(chain, homes.shape[1], node, other)


def _swap(chain: Chain, racks: int, node: int, other: int) -> None:
    members, topics = chain.gets.shape
    shelves = members + topics * racks
    if node < members <= other < shelves:
        chain.shift(node, (other - members) // racks, -1)
    elif other < members <= node < shelves:
        chain.shift(other, (node - members) // racks, 1)


class _Rings:
    """One search for a ring that pays.

    Nodes: the members; a *shelf* for each topic in each rack; the topics; the hub. What passes from
    a member to another of its rack goes over a shelf, from rack to rack over the topic.
    """

    def __init__(self, chain: Chain, racks: Ints, homes: Ints) -> None:
        gets, held = chain.gets.astype(np.int64), chain.held
        self._members, topics = gets.shape
        self._in_rack = [np.flatnonzero(racks == rack) for rack in range(homes.shape[1])]
        self._topics = self._members + homes.size
        self._hub = self._topics + topics
        step = self._hub + 1  # no ring is longer: one square outweighs all racks of a ring
        move = 4 * step * (int(gets.max(initial=0)) + 1) * step
        far = move * step  # nor does a ring save as many moves
        assert far < WIDE, f"{step} nodes are too many"
        counts = 2 * gets
        if chain.nobody:
            counts[-1] = 0
        gain = np.where(chain.may, step * (counts + 1) + move * (gets >= held), far)
        lose = np.where(gets > 0, step * (1 - counts) - move * (gets > held), far)
        if chain.nobody:
            gain[-1], lose[-1] = 0, np.where(gets[-1] > 0, 0, far)
        self._gain, self._lose = gain, lose
        there = np.stack([gets[rows].sum(axis=0) for rows in self._in_rack], axis=1)
        self._go: Ints = np.where(there <= homes, 1, 0)
        self._come: Ints = np.where(there < homes, -1, 0)
        self._leave: Ints = np.where(chain.loads < chain.high, 0, far)
        self._enter: Ints = np.where(chain.loads > chain.low, 0, far)
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
        members, topics, hub = self._members, self._topics, self._hub
        everybody = self._cost[:members]
        shelves = self._cost[members:topics].reshape(self._go.shape)
        racks = range(len(self._in_rack))
        leaving = (everybody + self._leave)[:, None]
        sank = self._sink(slice(hub, hub + 1), leaving, np.arange(members))
        for rack, rows in zip(racks, self._in_rack, strict=True):
            here = slice(members + rack, topics, len(racks))
            sank |= self._sink(here, everybody[rows, None] + self._lose[rows], rows)
        if len(racks) > 1:
            numbers = np.arange(members, topics).reshape(self._go.shape)
            sank |= self._sink(slice(topics, hub), (shelves + self._go).T, numbers.T)
            for rack in racks:
                here = slice(members + rack, topics, len(racks))
                over = (self._cost[topics:hub] + self._come[:, rack])[None]
                sank |= self._sink(here, over, np.arange(topics, hub)[None])
        for rack, rows in zip(racks, self._in_rack, strict=True):
            places = np.arange(members + rack, topics, len(racks))
            sank |= self._sink(rows, (shelves[:, rack] + self._gain[rows]).T, places)
        entering = (self._cost[hub] + self._enter)[None]
        return self._sink(slice(members), entering, np.array([hub])) | sank

    def _sink(self, here: slice | Ints, costs: Ints, sources: Ints) -> bool:
        """Lower the costs of the nodes ``here``, a column each, to the least of its column.

        ``sources`` are the nodes that the rows stand for, for all columns or for each of them.
        """
        if not costs.size:
            return False
        columns = np.arange(costs.shape[1])
        best = costs.argmin(axis=0)
        least = costs[best, columns]
        lower = least < self._cost[here]
        if not lower.any():
            return False
        source = sources[best] if sources.ndim == 1 else sources[best, columns]
        self._cost[here] = np.where(lower, least, self._cost[here])
        self._came_from[here] = np.where(lower, source, self._came_from[here])
        return True

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
