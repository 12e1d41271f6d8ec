"""What STICKY should answer, by trying everything.

The oracle is as obvious as it is slow: every way to give every queue to anybody or nobody, the
objectives in their order as one tuple, the least tuple wins. It shares no line with what it
judges. Called by the properties of STICKY.

Its one rule: no cleverness.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from math import lcm

from rebalance.allocation import AllocationRequest
from rebalance.ids import MemberId, Queue

Worth = tuple[int, list[int], int, int, int]
"""Unassigned queues, loads by weight from the largest down, moves, sum of squares of counts, racks.

Racks are queues that leave the rack of the member that had them, if that is still there.

Loads by weight are in units that make all of them whole numbers.
"""


def allowed(request: AllocationRequest, owners: Mapping[Queue, MemberId]) -> bool:
    """Say whether every queue's owner subscribes it and nobody has more than its cap."""
    loads = Counter(owners.values())
    return all(
        queue.topic in request.candidates[member].topics for queue, member in owners.items()
    ) and all(
        candidate.capacity is None or loads[name] <= candidate.capacity
        for name, candidate in request.candidates.items()
    )


def worth(request: AllocationRequest, owners: Mapping[Queue, MemberId]) -> Worth:
    """Judge an allocation; less is better."""
    queues = [queue for shelf in request.queues.values() for queue in shelf]
    loads = Counter(owners.values())
    unit = lcm(*(candidate.weight for candidate in request.candidates.values()))
    lifts = [
        loads[name] * unit // candidate.weight for name, candidate in request.candidates.items()
    ]
    heaps = Counter((member, queue.topic) for queue, member in owners.items())
    return (
        len(queues) - len(owners),
        sorted(lifts, reverse=True),
        moves(request, owners),
        sum(heap * heap for heap in heaps.values()),
        -sum(1 for queue, owner in owners.items() if _stays(request, queue, owner)),
    )


def _stays(request: AllocationRequest, queue: Queue, owner: MemberId) -> bool:
    before = request.candidates.get(request.current.get(queue, owner))
    if queue not in request.current or before is None:
        return False
    return before.rack == request.candidates[owner].rack


def moves(request: AllocationRequest, owners: Mapping[Queue, MemberId]) -> int:
    """Count the queues that had an owner and lose it."""
    queues = [queue for shelf in request.queues.values() for queue in shelf]
    return sum(
        1
        for queue in queues
        if queue in request.current and owners.get(queue) != request.current[queue]
    )


def best(request: AllocationRequest) -> Worth:
    """Try everything."""
    queues = [queue for shelf in request.queues.values() for queue in shelf]
    takers = [
        [None, *(name for name, one in request.candidates.items() if queue.topic in one.topics)]
        for queue in queues
    ]
    tried = (
        {queue: member for queue, member in zip(queues, choice, strict=True) if member is not None}
        for choice in product(*takers)
    )
    return min(worth(request, owners) for owners in tried if allowed(request, owners))
