"""What STICKY's answer may cost at best, for groups too large to try everything.

The objectives as prices of one min-cost flow, in whole numbers so far apart that a thousand of a
lesser thing never outweigh one of a greater: queues left over, then each member's k-th queue by k /
weight (heavy members first), then moves, then the sum of squares. Each unit is sent along a
cheapest path that Bellman and Ford's algorithm finds, one after the other: textbook, and slow.

It shares no line with what it judges. Its one rule: no cleverness.
"""

from collections import Counter, deque
from collections.abc import Mapping
from fractions import Fraction

from rebalance.allocation import AllocationRequest, Candidate
from rebalance.ids import MemberId, Queue

Node = tuple[str, str]

SOURCE, SINK = ("source", ""), ("sink", "")


class Prices:
    """What everything costs in one group."""

    def __init__(self, request: AllocationRequest) -> None:
        self.request = request
        self.total = sum(len(shelf) for shelf in request.queues.values())
        self.move = 4 * self.total**2 + 10
        self._unit = 2 * self.move * (self.total + 2)
        self.held = Counter((owner, queue.topic) for queue, owner in request.current.items())
        people = request.candidates.values()
        steps = {self._step(one, k) for one in people for k in range(1, self.room(one) + 1)}
        self._rank = {step: rank for rank, step in enumerate(sorted(steps))}

    def room(self, one: Candidate) -> int:
        """Return how many queues a member may have."""
        return self.total if one.capacity is None else min(self.total, one.capacity)

    def kth(self, one: Candidate, k: int) -> int:
        """Return the price of a member's k-th queue."""
        return self._above(self._rank[self._step(one, k)])

    @property
    def left_over(self) -> int:
        """The price of a queue that nobody has."""
        return self._above(len(self._rank) + 1)

    def of(self, owners: Mapping[Queue, MemberId]) -> int:
        """Return the price of an allocation."""
        people, current = self.request.candidates, self.request.current
        loads = Counter(owners.values())
        heaps = Counter((member, queue.topic) for queue, member in owners.items())
        kept = sum(1 for queue, member in owners.items() if current.get(queue) == member)
        return (
            self.left_over * (self.total - len(owners))
            + sum(self.kth(people[name], k) for name in loads for k in range(1, loads[name] + 1))
            + self.move * (len(owners) - kept)
            + sum(heap * heap for heap in heaps.values())
        )

    def _above(self, rank: int) -> int:
        price: int = self._unit * (self.total + 2) ** rank
        return price

    @staticmethod
    def _step(one: Candidate, k: int) -> tuple[Fraction, int]:
        return Fraction(k, one.weight), -one.weight


class Network:
    """Pipes of one unit or more, each with its way back."""

    def __init__(self) -> None:
        self._ends: list[tuple[Node, Node]] = []
        self._width: list[int] = []
        self._cost: list[int] = []
        self._from: dict[Node, list[int]] = {}

    def pipe(self, start: Node, end: Node, width: int, cost: int) -> None:
        """Lay a pipe."""
        for ends, room, price in (((start, end), width, cost), ((end, start), 0, -cost)):
            self._from.setdefault(ends[0], []).append(len(self._ends))
            self._ends.append(ends)
            self._width.append(room)
            self._cost.append(price)

    def send(self) -> int:
        """Send one unit along a cheapest path; return its price."""
        price, came_by = {SOURCE: 0}, dict[Node, int]()
        waiting = deque([SOURCE])
        while waiting:
            node = waiting.popleft()
            for pipe in self._from[node]:
                end, there = self._ends[pipe][1], price[node] + self._cost[pipe]
                if self._width[pipe] and there < price.get(end, there + 1):
                    price[end], came_by[end] = there, pipe
                    waiting.append(end)
        node = SINK
        while node != SOURCE:
            pipe = came_by[node]
            self._width[pipe] -= 1
            self._width[pipe ^ 1] += 1
            node = self._ends[pipe][0]
        return price[SINK]


def least(prices: Prices) -> int:
    """Return the least price of any allocation."""
    request, network = prices.request, Network()
    for topic, shelf in request.queues.items():
        network.pipe(SOURCE, ("topic", topic), len(shelf), 0)
        network.pipe(("topic", topic), SINK, len(shelf), prices.left_over)
        for name, one in request.candidates.items():
            held = prices.held[name, topic]
            for k in range(len(shelf)) if topic in one.topics else ():
                cost = 2 * k + 1 + (prices.move if k >= held else 0)
                network.pipe(("topic", topic), ("member", name), 1, cost)
    for name, one in request.candidates.items():
        for k in range(1, prices.room(one) + 1):
            network.pipe(("member", name), SINK, 1, prices.kth(one, k))
    return sum(network.send() for _ in range(prices.total))
