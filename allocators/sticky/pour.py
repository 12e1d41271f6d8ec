"""The simple part of a transport: what can be moved in one step.

Surplus goes back to its topics, from the topics that a member has most of; queues without an owner
go to members below their bounds, first to those that have least of the topic. Each queue moves
once, and no path is cheaper than one move. What this cannot place, or would place better, is left
to the search in ``transport``, which may undo it.

Its one rule: queues go to members only as far as their bounds, at one move each.
"""

import numpy as np

from allocators.sticky.chain import Chain
from allocators.sticky.waterline import Ints


def pour(chain: Chain) -> None:
    """Release every surplus and hand out what is free."""
    _release(chain, np.maximum(chain.loads - chain.high, 0))
    chain.recount()
    if chain.hub < 0:
        beyond = chain.beyond()
        over = np.minimum(beyond, np.maximum(0, -chain.hub - (np.cumsum(beyond) - beyond)))
        _release(chain, over)
        chain.recount()
    everything = chain.gets.sum(axis=0) + chain.free
    height = -(-everything // np.maximum(chain.may.sum(axis=0), 1))
    _fill(chain, height)
    exchange(chain, height)
    while chain.free.any() and (height < everything).any():
        height = 2 * height
        _fill(chain, height)


def _fill(chain: Chain, height: Ints) -> None:
    """Hand out what is free as far as heaps may grow: up to lower bounds first, then beyond."""
    _hand_out(chain, height, chain.low)
    chain.recount()
    if chain.hub > 0:
        _hand_out(chain, height, chain.high, chain.hub)
        chain.recount()


def shaved(row: Ints, amount: int, last: Ints) -> Ints:
    """Return what to take from each heap of ``row`` to make ``amount``, tallest heaps first.

    Among heaps of the same height those with the smaller ``last`` are cut.
    """
    if amount == 1:  # as most often: somebody came
        tallest = np.flatnonzero(row == row.max())
        cut = np.zeros_like(row)
        cut[tallest[last[tallest].argmin()]] = 1
        return cut
    heights, counts = np.unique(row, return_counts=True)
    above = np.cumsum((heights * counts)[::-1])[::-1] - heights * np.cumsum(counts[::-1])[::-1]
    level = int(heights[above <= amount][0])  # cutting down to here takes no more than amount
    number = int(counts[heights >= level].sum())
    left = amount - int(above[heights == level][0])
    level -= left // number
    cut = np.maximum(row - level, 0)
    standing = np.flatnonzero(np.minimum(row, level) == level)
    ranked = standing[np.argsort(last[standing], kind="stable")]
    cut[ranked[: left % number]] += 1
    return cut


def _release(chain: Chain, surplus: Ints) -> None:
    for member in np.flatnonzero(surplus).tolist():
        cut = shaved(chain.gets[member], int(surplus[member]), chain.free)
        chain.gets[member] -= cut
        chain.free += cut
        chain.loads[member] -= surplus[member]


def _hand_out(chain: Chain, height: Ints, bound: Ints, limit: int | None = None) -> None:
    """Give free queues to members below ``bound``, at most ``limit``; few of a topic first."""
    left = int(chain.free.sum()) if limit is None else limit
    for topic in np.flatnonzero(chain.free).tolist():
        while supply := min(left, int(chain.free[topic])):
            low_heap = chain.gets[:, topic] < height[topic]
            ready = np.flatnonzero(chain.may[:, topic] & (chain.loads < bound) & low_heap)
            if not ready.size:
                break
            room = np.minimum(bound - chain.loads, height[topic] - chain.gets[:, topic])[ready]
            left -= _give(chain, topic, ready, room, supply)


def _give(chain: Chain, topic: int, ready: Ints, room: Ints, supply: int) -> int:
    """Give every ready member its even part of the supply, or one each to the neediest."""
    if supply < ready.size:
        need = chain.gets[ready, topic] * (room.max() + 1) - room
        first = np.sort(np.argpartition(need, supply - 1)[:supply])
        ready, amounts = ready[first], np.ones(supply, np.int64)
    else:
        amounts = np.minimum(room, supply // ready.size)
    chain.gets[ready, topic] += amounts
    chain.loads[ready] += amounts
    given = int(amounts.sum())
    chain.free[topic] -= given
    return given


def exchange(chain: Chain, height: Ints) -> None:
    """Place what is still free, as far as one further member does it.

    The last topics to be poured find their subscribers full, and those that have room do not
    subscribe them, or have more of them than their part already. Then somebody full takes the queue
    and hands one of another topic, that it was given a moment ago, to somebody with room: still one
    move for one queue, and no heap grows beyond its part. Two columns of the table show all such
    pairs at once. What is handed on was not held before.
    """
    stuck = np.flatnonzero(chain.free)
    if not stuck.size:
        return
    given = chain.gets > chain.held
    roomy = np.flatnonzero(chain.loads < _bound(chain))
    between = np.setdiff1d(np.flatnonzero(given.any(axis=1)), roomy)
    others = np.flatnonzero(given[between].any(axis=0))
    for topic in stuck.tolist():
        after = np.roll(others, -int(np.searchsorted(others, topic)))  # not all hand on the same
        for other in after[after != topic].tolist():
            if not chain.free[topic] or not roomy.size:
                break
            takers = roomy[chain.may[roomy, other] & (chain.gets[roomy, other] < height[other])]
            if _hand_on(chain, height, (topic, between), (other, takers)):
                roomy = roomy[chain.loads[roomy] < _bound(chain)[roomy]]


def _bound(chain: Chain) -> Ints:
    return chain.high if chain.hub > 0 else chain.low


def _hand_on(chain: Chain, height: Ints, taken: tuple[int, Ints], handed: tuple[int, Ints]) -> bool:
    """Let members take queues of the first topic and hand on as many of the second to takers."""
    (topic, between), (other, takers) = taken, handed
    limit = min(takers.size, int(chain.free[topic]), chain.hub if chain.hub > 0 else takers.size)
    if not limit:
        return False
    ready = chain.may[between, topic] & (chain.gets[between, topic] < height[topic])
    able = between[ready]
    able = able[chain.gets[able, other] > chain.held[able, other]][:limit]
    takers = takers[: able.size]
    chain.gets[able, topic] += 1
    chain.gets[able, other] -= 1
    chain.gets[takers, other] += 1
    chain.loads[takers] += 1
    chain.free[topic] -= able.size
    chain.recount()
    return bool(able.size)
