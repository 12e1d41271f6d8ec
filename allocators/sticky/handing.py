"""From counts to queues: which ones go where.

Counts say how many queues of a topic a member shall hold more than it does, or fewer. Of those it
has it keeps the first ones; what it gives up and what had no owner goes, in order, to those that
get more, a queue to a member of its old owner's rack where there is one. Everything is done for
all queues at once, by sorting, never one queue at a time, and what does not change costs one look.

Called by ``sticky``. A member that may keep a queue keeps it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from allocators.sticky.catalog import NOBODY
from allocators.sticky.chain import Flags
from allocators.sticky.parts import Part
from allocators.sticky.racks import neighbourly
from allocators.sticky.waterline import Ints


def last_of_each(groups: Ints, how_many: Ints) -> Flags:
    """Flag the last ``how_many[g]`` elements of every group ``g``."""
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=len(how_many)))
    sorted_groups = groups[order]
    from_the_end = ends[sorted_groups] - 1 - np.arange(len(groups))
    flags = np.zeros(len(groups), np.bool_)
    flags[order] = from_the_end < how_many[sorted_groups]
    return flags


@dataclass(frozen=True, slots=True)
class Changes:
    """Which members get how many queues more of which topics, one entry for each difference.

    Members are counted from 0, topics too; the number behind the last member is nobody's.
    """

    topics: Ints
    members: Ints
    more: Ints


def joined(changes: Sequence[Changes]) -> Changes:
    """Return all changes as one."""
    nothing = np.empty(0, np.int64)
    return Changes(
        np.concatenate([nothing, *(each.topics for each in changes)]),
        np.concatenate([nothing, *(each.members for each in changes)]),
        np.concatenate([nothing, *(each.more for each in changes)]),
    )


def handed(part: Part, changes: Changes) -> Ints:
    """Return the new owners of the part's queues."""
    owners, topics, nobody = part.owners, part.topic_of, len(part.members)
    order = np.lexsort((changes.members, changes.topics))
    members, more = changes.members[order], changes.more[order]
    cells = changes.topics[order] * (nobody + 1) + members
    fewer = more < 0
    result = owners.copy()
    if fewer.any():
        giving = np.zeros(nobody + 1, np.bool_)
        giving[members[fewer]] = True
        owned = np.flatnonzero(giving[owners])  # NOBODY is the last one, and gives nothing
        asked = topics[owned] * (nobody + 1) + owners[owned]
        places = np.minimum(np.searchsorted(cells[fewer], asked), np.count_nonzero(fewer) - 1)
        found = cells[fewer][places] == asked
        given = last_of_each(places[found], -more[fewer])
        result[owned[found][given]] = NOBODY
    pool = np.flatnonzero(result == NOBODY)
    able = np.where(members == nobody, NOBODY, members)[~fewer]
    takers = np.repeat(able, more[~fewer])
    homes = None if part.homes is None else part.homes[pool]
    result[pool] = neighbourly(takers, homes, topics[pool], part.racks)
    return result
