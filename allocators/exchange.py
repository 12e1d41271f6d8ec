"""Room where it is needed: one step round the corner.

The last topics to be poured find their subscribers full, and those that have room do not subscribe
them, or have more of them than their part already. Then somebody full takes the queue and hands
one of another topic, that it was given a moment ago, to somebody with room: still one move for one
queue, and no heap grows beyond its part. Two columns of the table show all such pairs at once.

Called by ``pour``, before it lets heaps grow. Its one rule: what is handed on was not held before.
"""

import numpy as np

from allocators.chain import Chain
from allocators.waterline import Ints


def exchange(chain: Chain, height: Ints) -> None:
    """Place what is still free, as far as one step round the corner does it."""
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
            heirs = roomy[chain.may[roomy, other] & (chain.gets[roomy, other] < height[other])]
            if _hand_on(chain, height, (topic, between), (other, heirs)):
                roomy = roomy[chain.loads[roomy] < _bound(chain)[roomy]]


def _bound(chain: Chain) -> Ints:
    return chain.high if chain.hub > 0 else chain.low


def _hand_on(chain: Chain, height: Ints, taken: tuple[int, Ints], handed: tuple[int, Ints]) -> bool:
    """Let members take queues of the first topic and hand on as many of the second to heirs."""
    (topic, between), (other, heirs) = taken, handed
    limit = min(heirs.size, int(chain.free[topic]), chain.hub if chain.hub > 0 else heirs.size)
    if not limit:
        return False
    ready = chain.may[between, topic] & (chain.gets[between, topic] < height[topic])
    able = between[ready]
    able = able[chain.gets[able, other] > chain.held[able, other]][:limit]
    heirs = heirs[: able.size]
    chain.gets[able, topic] += 1
    chain.gets[able, other] -= 1
    chain.gets[heirs, other] += 1
    chain.loads[heirs] += 1
    chain.free[topic] -= able.size
    chain.recount()
    return bool(able.size)
