"""From counts to queues: which ones go where.

Counts say how many queues of a topic each member shall hold. Of those it has it keeps the first
ones; what it gives up and what had no owner goes, in order, to those that get more, a queue to
a member of its old owner's rack where there is one. Everything is done for all queues at once,
by sorting, never one queue at a time.

Called by ``sticky``. Its one rule: a member that may keep a queue keeps it.
"""

import numpy as np

from allocators.catalog import NOBODY
from allocators.chain import Flags
from allocators.racks import neighbourly
from allocators.waterline import Ints


def last_of_each(groups: Ints, how_many: Ints) -> Flags:
    """Flag the last ``how_many[g]`` elements of every group ``g``."""
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=len(how_many)))
    sorted_groups = groups[order]
    from_the_end = ends[sorted_groups] - 1 - np.arange(len(groups))
    flags = np.zeros(len(groups), np.bool_)
    flags[order] = from_the_end < how_many[sorted_groups]
    return flags


def handed(owners: Ints, topics: Ints, change: Ints, racks: Ints) -> Ints:
    """Return the new owners of queues whose ``topics`` ascend, given each one's present owner.

    ``change`` is how many more each member gets: a row for each topic, a column for each member
    and a last one for nobody. ``racks`` are the members'.
    """
    width = change.shape[1]
    result = owners.copy()
    fewer = np.flatnonzero(change < 0)
    owned = np.flatnonzero((owners != NOBODY) & (change < 0)[topics, owners])
    cells = np.searchsorted(fewer, topics[owned] * width + owners[owned])
    result[owned[last_of_each(cells, -change.ravel()[fewer])]] = NOBODY
    more = np.flatnonzero(change > 0)
    takers = more % width
    takers[takers == width - 1] = NOBODY
    pool = np.flatnonzero(result == NOBODY)
    heirs = np.repeat(takers, change.ravel()[more])
    result[pool] = neighbourly(heirs, owners[pool], topics[pool], racks)
    return result
