"""STICKY for large groups in which every member subscribes every topic.

Nothing needs to be searched: the fairest loads are the waterline's. A member that has more gives
the difference up and keeps the rest, so the moves are the fewest. What is left is which queues.
Members give up queues of the topics they have most of, and each topic goes to members that have
least of it. The work depends on what changes: for one member more or less, a few passes over an
array of owners and a look at the queues that move, never a table of members x topics.

Called by ``sticky`` for tables that are too large for ``spread``. The loads and the number of
moves are those of the general way.
"""

import numpy as np

from allocators.sticky.catalog import NOBODY
from allocators.sticky.handing import last_of_each
from allocators.sticky.parts import Part
from allocators.sticky.pour import shaved
from allocators.sticky.racks import neighbourly
from allocators.sticky.waterline import Bounds, Ints


def even(part: Part, bounds: Bounds, loads: Ints) -> Ints:
    """Return the new owners of the part's queues, given the loads that are and shall be."""
    if _fresh(part, bounds):  # one to each in turn: even in every topic
        return np.arange(len(part.owners)) % len(part.members)
    beyond = len(part.owners) - bounds.spilt - int(bounds.low.sum())
    keepers = np.flatnonzero((loads >= bounds.high) & (bounds.high > bounds.low))[:beyond]
    quota = bounds.low.copy()
    quota[keepers] += 1
    owners = part.owners.copy()
    _release(part, owners, loads, quota)
    _hand_out(part, owners, loads, bounds.low, len(owners))
    _hand_out(part, owners, loads, bounds.high, beyond - len(keepers))
    return owners


def _fresh(part: Part, bounds: Bounds) -> bool:
    """Nobody has anything yet, and all are alike."""
    each = bounds.low, bounds.high, part.weights
    alike = all(bool((those == those[0]).all()) for those in each)
    return alike and not bounds.spilt and bool((part.owners == NOBODY).all())


def _release(part: Part, owners: Ints, loads: Ints, quota: Ints) -> None:
    """Let everybody give up what is beyond its quota, the tallest heaps first."""
    surplus = np.maximum(loads - quota, 0)
    givers = np.flatnonzero(surplus)
    theirs = np.flatnonzero(np.append(surplus, 0)[owners])
    number = np.empty(len(loads), np.int64)
    number[givers] = np.arange(len(givers))
    topics = len(part.topics)
    cells = number[owners[theirs]] * topics + part.topic_of[theirs]
    heaps = np.bincount(cells, minlength=len(givers) * topics).reshape(-1, topics)
    pool = np.bincount(part.topic_of[owners == NOBODY], minlength=topics)
    cut = np.zeros_like(heaps)
    for giver, member in enumerate(givers.tolist()):
        cut[giver] = shaved(heaps[giver], int(surplus[member]), pool)
        pool += cut[giver]
    owners[theirs[last_of_each(cells, cut.ravel())]] = NOBODY
    loads[givers] = quota[givers]


def _hand_out(part: Part, owners: Ints, loads: Ints, bound: Ints, limit: int) -> None:
    """Give queues without an owner to members below ``bound``, at most ``limit`` of them."""
    room = np.maximum(bound - loads, 0)
    if not limit or not room.any():
        return
    free = np.flatnonzero(owners == NOBODY)
    edges = np.searchsorted(part.topic_of[free], np.arange(len(part.topics) + 1))
    starts = np.searchsorted(part.topic_of, np.arange(len(part.topics) + 1))
    for topic in np.flatnonzero(np.diff(edges)).tolist():
        pool = free[edges[topic] : edges[topic + 1]]
        while pool.size and limit:
            takers = _takers(owners[starts[topic] : starts[topic + 1]], room, min(limit, pool.size))
            if not takers.size:
                return
            taken, pool = pool[: takers.size], pool[takers.size :]
            same = np.full(takers.size, topic)
            homes = None if part.homes is None else part.homes[taken]
            owners[taken] = neighbourly(takers, homes, same, part.racks)
            np.add.at(loads, takers, 1)
            np.subtract.at(room, takers, 1)
            limit -= takers.size


def _takers(here: Ints, room: Ints, supply: int) -> Ints:
    """Choose who gets the supply: one each for those with the lowest heaps, then the most room.

    When there is enough for all that have room, everybody gets an even part of it, as far as it
    has. ``here`` are the owners of the topic's queues.
    """
    if supply == 1:  # as most often: somebody without any, the roomiest
        strangers = np.append(room, 0)
        strangers[here] = 0
        taker = int(strangers.argmax())
        if strangers[taker]:
            return np.array([taker])
    ready = np.flatnonzero(room)
    if supply >= ready.size:
        return np.repeat(ready, np.minimum(room[ready], supply // max(ready.size, 1)))
    heaps = np.bincount(here + 1, minlength=len(room) + 1)[1:]
    need = heaps[ready] * (int(room.max()) + 1) - room[ready]
    return np.sort(ready[np.argpartition(need, supply - 1)[:supply]])
