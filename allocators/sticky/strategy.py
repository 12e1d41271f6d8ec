"""STICKY: balanced, and the provably fewest moves. The default.

What it wants, in this order, each as far as the ones before it leave freedom:

1. A queue goes only to a member that subscribes its topic and has room under its cap, and
   whatever can be assigned is; the rest is given a reason.
2. The fairest loads: the largest load / weight as small as can be, then the second largest, and
   so on, over all chains of overlapping subscriptions. Equal members end within one of another.
3. The fewest queues change their owner.
4. Each topic is spread evenly over its members: the least sum of squares of all counts.
5. As many queues as can be stay in the rack of the member that had them.
6. The answer depends on nothing but the request, and not on the order of anything in it.

(1) to (3) are exact at any size: see ``levels`` and ``transport``. (4) and (5) are exact for tables
up to ``spread.EXACT_CELLS`` members x topics, and good guesses beyond (``swaps``, ``racks``). Asked
again about its own answer, it moves nothing. Large groups with equal subscriptions take a shorter
way (``even``).

Its one rule: integers and fractions, never a float.
"""

from collections.abc import Sequence

import numpy as np

from allocators.sticky.catalog import NOBODY, Group, numbered
from allocators.sticky.chain import Counts, Flags
from allocators.sticky.even import even
from allocators.sticky.handing import Changes, handed, joined
from allocators.sticky.levels import Level, Table, levels
from allocators.sticky.parts import Part, parts
from allocators.sticky.spread import EXACT_CELLS, smooth
from allocators.sticky.swaps import swap
from allocators.sticky.waterline import Ints, waterline
from rebalance.allocation import NOBODY_SUBSCRIBES, AllocationPlan, AllocationRequest
from rebalance.ids import Queue

EVERYBODY_FULL = "every subscriber is at its capacity"


def sticky(request: AllocationRequest) -> AllocationPlan:
    """Assign every queue that can be, fairly, with the fewest moves."""
    group = numbered(request)
    owners = np.empty(0, np.int64)
    subscribed = np.zeros(len(group.catalog.topics), np.bool_)
    for part in parts(group):
        subscribed[part.topics] = True
        settled = _settled(part)
        if len(part.members) < len(group.members):
            settled = np.append(part.members, NOBODY)[settled]
        if len(settled) == len(group.owners):  # the only part: nothing to put together
            owners = settled
        else:
            owners = owners if owners.size else np.full_like(group.owners, NOBODY)
            owners[part.places] = settled
    owners = owners if owners.size else np.full_like(group.owners, NOBODY)
    return group.plan(owners, reasons(group, owners, subscribed))


def _settled(part: Part) -> Ints:
    """Return the new owners of one part's queues.

    Loads that would be the fairest even if everybody could have everything are so: no moves.
    """
    bounds = waterline(len(part.owners), part.weights, part.caps)
    loads = np.bincount(part.owners + 1, minlength=len(part.members) + 1)
    free, loads = int(loads[0]), loads[1:]
    if free == bounds.spilt and ((bounds.low <= loads) & (loads <= bounds.high)).all():
        return part.owners
    if part.may is None and len(part.members) * len(part.topics) > EXACT_CELLS:
        return even(part, bounds, loads)
    found = list(levels(_table(part)))
    changes = [_differences(level, part) for level in found]
    if len(found) > 1:
        changes.append(_crossing(part, found))
    return handed(part, joined(changes))


def _crossing(part: Part, found: Sequence[Level]) -> Changes:
    """Return what members lose because it belongs to another level than they do."""
    members = len(part.members)
    level_of, level_of_topic = np.full(members, NOBODY), np.full(len(part.topics), NOBODY)
    for number, level in enumerate(found):
        level_of[level.members], level_of_topic[level.topics] = number, number
    owned = np.flatnonzero(part.owners != NOBODY)
    owners, topics = part.owners[owned], part.topic_of[owned]
    crosses = level_of[owners] != level_of_topic[topics]
    cells, lost = np.unique(topics[crosses] * members + owners[crosses], return_counts=True)
    return Changes(cells // members, cells % members, -lost)


def _differences(level: Level, part: Part) -> Changes:
    """Smooth a level and return who gets more or less of what."""
    chain = level.chain
    if chain.gets.size <= EXACT_CELLS:
        smooth(chain, *_racks(level, part))
    else:
        swap(chain)
    if chain.nobody:
        chain.held[-1] = 0  # nothing is nobody's but what it gets
    rows, columns = np.nonzero(chain.gets != chain.held)
    more = chain.gets[rows, columns] - chain.held[rows, columns]
    return Changes(level.topics[columns], np.append(level.members, len(part.members))[rows], more)


def _racks(level: Level, part: Part) -> tuple[Ints, Ints]:
    """Return the rack of each row of a level, and how many queues were in which rack: by topic.

    Racks in which no row is count for nothing: none of the level's queues can stay there. The group
    may have thousands. Nobody has a rack of its own, where no queue was. One rack is as good as
    none.
    """
    rows = len(level.chain.loads)
    if part.homes is None or not part.homes.size:
        return np.zeros(rows, np.int64), np.zeros((len(level.topics), 1), np.int64)
    there, rack_of = np.unique(part.racks[level.members], return_inverse=True)
    count = len(there) + 1
    near = np.isin(part.homes, there)
    cells = part.topic_of[near] * count + np.searchsorted(there, part.homes[near])
    homes = np.bincount(cells, minlength=len(part.topics) * count).reshape(-1, count)
    return np.append(rack_of, count - 1)[:rows], homes[level.topics]


def _table(part: Part) -> Table:
    members, topics = len(part.members), len(part.topics)
    owned = part.owners != NOBODY
    held = np.zeros((topics, members), Counts).T
    np.add.at(held, (part.owners[owned], part.topic_of[owned]), 1)
    may = np.ones((members, topics), np.bool_, order="F") if part.may is None else part.may
    queues = np.bincount(part.topic_of, minlength=topics)
    return Table(held, may, queues, part.weights, part.caps)


def reasons(group: Group, owners: Ints, subscribed: Flags) -> dict[Queue, str]:
    """Say why each queue that is left has no owner."""
    left = np.flatnonzero(owners == NOBODY).tolist()
    topic_of = group.catalog.topic_of
    return {
        group.catalog.queues[place]: EVERYBODY_FULL
        if subscribed[topic_of[place]]
        else NOBODY_SUBSCRIBES
        for place in left
    }
