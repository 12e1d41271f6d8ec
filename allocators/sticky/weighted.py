"""STICKY for queues of unequal weight: by their rate, say, or their lag.

A member's load is then the sum of its queues' weights, and the fairest loads are out of reach: to
cut weights into two equal halves is the partition problem, which is NP-hard. So this promises
less than ``sticky``, and exactly this:

1. A queue goes only to a member that subscribes its topic and has room under its cap, and as many
   are assigned as can be.
2. Two members are no further apart than a queue: if the one took the heaviest queue of the other
   that it may have, it would stand at least as high, by load / weight, as the other does now. Or
   it is full, and has nothing lighter that the other may have. Between equal members with equal
   caps and subscriptions the largest load is therefore above the smallest by no more than the
   heaviest queue of the fullest member.
3. Few moves, not the fewest: a queue leaves an owner that may keep it only where (2) does not hold
   yet, in a step that lowers the higher of the two (for a lighter one, if the other is full), or
   to make room for a queue that nobody else can take.
4. The answer depends on nothing but the request, and asked again about it, nothing moves.

How: keep what may be kept; give away the rest, heaviest first, each to where it stands lowest
(Graham's LPT, 1969); then take such steps from the fullest member on, the one that levels most
first, until there is none. Each step lowers the sorted loads, so that ends. Queues of one and the
same weight are ``sticky``'s. Called by the registry. Its one rule: integers, never a float.
"""

from collections import deque
from heapq import heapify, heappop, heappush

import numpy as np

from allocators.sticky.catalog import NOBODY, numbered
from allocators.sticky.labels import Labels
from allocators.sticky.scales import Scales
from allocators.sticky.strategy import reasons, sticky
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator


def weighted(weights: Labels[int]) -> Allocator:
    """Return the strategy for queues of these weights."""

    def allocate(request: AllocationRequest) -> AllocationPlan:
        group = numbered(request)
        weight_of = [weights.of(queue) for queue in group.catalog.queues]
        if len(set(weight_of)) <= 1 or not group.members:
            return sticky(request)
        scales = Scales(group, weight_of)
        _keep(scales)
        _give_away(scales)
        _level(scales)
        owners = np.array(scales.owner, np.int64)
        subscribed = np.logical_or.reduce(group.people.rows)
        return group.plan(owners, reasons(group, owners, subscribed))

    return allocate


def _keep(scales: Scales) -> None:
    """Leave each member what it may keep; over its cap the lightest queues go."""
    for queue in _heaviest_first(scales):
        owner = scales.before[queue]
        if owner != NOBODY and scales.takers[scales.kind_of[queue]][owner] and scales.room[owner]:
            scales.give(queue, owner)


def _give_away(scales: Scales) -> None:
    """Give each queue to whoever stands lowest. Where no row was found, none appears later."""
    full = set[int]()
    for queue in _heaviest_first(scales):
        kind = scales.kind_of[queue]
        if scales.owner[queue] != NOBODY or kind in full:
            continue
        taker = scales.lowest(queue)
        if taker == NOBODY:
            _make_room(scales, kind)
            taker = scales.lowest(queue)
        if taker == NOBODY:
            full.add(kind)
        else:
            scales.give(queue, taker)


def _heaviest_first(scales: Scales) -> list[int]:
    return sorted(range(len(scales.weights)), key=lambda queue: -scales.weights[queue])


def _make_room(scales: Scales, kind: int) -> None:
    """Find room indirectly: a member that may have the kind hands a queue on, and so forth.

    The shortest such row is found breadth first (an augmenting path, Berge 1957); where there is
    none, no queue of this kind can be assigned in any way.
    """
    rows: dict[int, tuple[tuple[int, int], ...]] = {kind: ()}
    waiting = deque([kind])
    while waiting:
        wanted = waiting.popleft()
        for member in np.flatnonzero(scales.takers[wanted]).tolist():
            for other in sorted(scales.shelves[member].keys() - rows.keys()):
                rows[other] = ((member, other), *rows[wanted])
                if scales.welcomes(other):
                    _hand_on(scales, rows[other])
                    return
                waiting.append(other)


def _hand_on(scales: Scales, row: tuple[tuple[int, int], ...]) -> None:
    """Let each member of the row hand a queue on; the first one's goes where there is room."""
    for member, kind in row:
        lightest = scales.shelves[member][kind][0][2]
        scales.move(lightest, scales.lowest(lightest))


def _level(scales: Scales) -> None:
    """Let the fullest member take its best step, again and again, until no member has one left."""
    while _levelled(scales):
        pass


def _levelled(scales: Scales) -> bool:
    """Ask each member that has a queue, the fullest first; say whether one stepped.

    A member that was asked in vain may have a step again when another has given something
    away: so asking goes on, round after round, until no member steps.
    """
    stepped = False
    busy = [member for member, shelf in enumerate(scales.shelves) if shelf]
    fullest = [(-scales.lifts[member], member) for member in busy]
    heapify(fullest)
    while fullest:
        lift, member = heappop(fullest)
        if lift + scales.lifts[member] or not scales.can_step(member):
            continue  # it stands elsewhere by now, and again in the heap
        if steps := scales.step(member):
            for step in steps:
                scales.move(*step)
            stepped = True
            for touched in {member, *(step.member for step in steps)}:
                heappush(fullest, (-scales.lifts[touched], touched))
    return stepped
