"""The waterline: the fairest loads when every member may have every queue.

Think of members as vessels, as wide as their weight and as high as their cap, and of queues as
water. A vessel's k-th queue lifts it to k / weight. Pour each queue where it rises least: the
largest load / weight ends as small as it can be, then the second largest, and so on. Where two
lifts are equal the wider vessel takes the queue: if it did not, it would stay at (k - 1) / weight,
which is higher than the narrower one's.

So there is an order of all (member, k): by k / weight, then by weight, heavy first. The fairest
loads are the first P of that order; only the last rank may be cut through, and its members are
alike. Called by ``levels`` and ``strategy``. It computes with integers and
fractions.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

UNLIMITED = 2**40
"""The cap of a member without one: more queues than any group has, small enough to be added up."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What each member gets: at least ``low``; ``high`` is one more for the rank that is cut."""

    low: Ints
    high: Ints
    spilt: int
    """Queues beyond everybody's cap."""


def waterline(total: int, weights: Ints, caps: Ints) -> Bounds:
    """Return the fairest loads of ``total`` queues over members of these weights and caps."""
    room = int(caps.sum())
    if total >= room:
        return Bounds(caps, caps, total - room)
    if (weights == weights[0]).all() and (caps == caps[0]).all():
        kinds = Counter({(int(weights[0]), int(caps[0])): len(caps)})
    else:
        kinds = Counter(zip(weights.tolist(), caps.tolist(), strict=True))
    levels = _flooded(total, kinds)
    left = total - sum(levels[kind] * count for kind, count in kinds.items())
    cut = _top_up(left, levels, kinds)
    low, high = np.empty_like(caps), np.empty_like(caps)
    for kind, level in levels.items():
        alike = (weights == kind[0]) & (caps == kind[1])
        low[alike] = level
        high[alike] = level + (kind in cut)
    return Bounds(low, high, 0)


Kind = tuple[int, int]
"""Members of the same weight and cap."""


def _flooded(total: int, kinds: Counter[Kind]) -> dict[Kind, int]:
    """Let the water stand at a fraction; every vessel keeps the whole queues below its line."""
    narrowest_room = sorted(kinds, key=lambda kind: Fraction(kind[1], kind[0]))
    water = total
    width = sum(weight * count for (weight, _), count in kinds.items())
    levels: dict[Kind, int] = {}
    for weight, cap in narrowest_room:
        count = kinds[weight, cap]
        if cap * width > water * weight:  # the cap is above the line: so are all that follow
            break
        levels[weight, cap] = cap
        water -= cap * count
        width -= weight * count
    for kind in narrowest_room[len(levels) :]:
        levels[kind] = kind[0] * water // width
    return levels


def _top_up(left: int, levels: dict[Kind, int], kinds: Counter[Kind]) -> frozenset[Kind]:
    """Pour what the fractions left, rank by rank; return the kinds of the rank that is cut."""
    ranks = [(_rank(kind, levels), kind) for kind in kinds if levels[kind] < kind[1]]
    heapify(ranks)
    while left:
        rank, first = heappop(ranks)
        alike = [first]
        while ranks and ranks[0][0] == rank:
            alike.append(heappop(ranks)[1])
        poured = sum(kinds[kind] for kind in alike)
        if poured > left:
            return frozenset(alike)
        left -= poured
        for kind in alike:
            levels[kind] += 1
            if levels[kind] < kind[1]:
                heappush(ranks, (_rank(kind, levels), kind))
    return frozenset()


def _rank(kind: Kind, levels: dict[Kind, int]) -> tuple[Fraction, int]:
    return Fraction(levels[kind] + 1, kind[0]), -kind[0]
