"""Parts: a group is cut where no subscriptions overlap.

Members whose subscriptions never overlap, however far the chain is followed, do not affect each
other. Each such part is a problem of its own, and most parts are simple ones where every member
subscribes every topic. Few distinct subscriptions are followed set by set; a group with more than
``FEW`` is taken as one part, which costs time and never the result's quality.

Called by ``sticky``. A member and a topic it subscribes are in the same part.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from allocators.sticky.catalog import NOBODY, Group
from allocators.sticky.chain import Flags
from allocators.sticky.waterline import UNLIMITED, Ints

FEW = 64
"""Distinct subscriptions that are compared with each other: at most FEW * FEW / 2 comparisons."""


@dataclass(frozen=True, slots=True)
class Part:
    """Members and topics that stand alone, renumbered from 0."""

    members: Ints
    topics: Ints
    """Their numbers in the group."""
    may: Flags | None
    """Who subscribes what, columns together; None when everybody subscribes everything."""
    places: Ints | slice
    """Where the part's queues stand in the catalog."""
    owners: Ints
    """Who owns each of the queues now, and may go on owning it."""
    topic_of: Ints
    weights: Ints
    caps: Ints
    racks: Ints
    homes: Ints | None
    """The rack of the member that had each queue last, or NOBODY; None where racks decide nothing.

    They do when there are several, or when caps may leave out somebody else's queue instead.
    """


def parts(group: Group) -> Iterator[Part]:
    """Cut the group into parts; members and topics that face nobody are in none."""
    rows, kind_of = group.people.rows, group.people.subscription
    subscribing = [kind for kind in range(len(rows)) if rows[kind].any()]
    chains = [subscribing] if len(rows) > FEW else _connected(rows, subscribing)
    for kinds in chains:
        everybody = len(kinds) == len(rows)
        yield _part(group, None if everybody else np.flatnonzero(np.isin(kind_of, kinds)), kinds)


def _connected(rows: Flags, left: list[int]) -> Iterator[list[int]]:
    """Collect the kinds that overlap, directly or through others."""
    while left:
        together = [left[0]]
        reached = rows[left[0]]
        while more := [one for one in left if one not in together and (rows[one] & reached).any()]:
            together += more
            reached = rows[together].any(axis=0)
        left = [kind for kind in left if kind not in together]
        yield together


def _part(group: Group, members: Ints | None, kinds: list[int]) -> Part:
    people, catalog = group.people, group.catalog
    topics = np.flatnonzero(people.rows[kinds].any(axis=0))
    places: Ints | slice = slice(None)
    if members is None:
        members = np.arange(len(group.members))
        owners = group.owners
    else:
        number = np.full(len(group.members) + 1, NOBODY)
        number[members] = np.arange(len(members))
        owners = number[group.owners]
    if len(topics) == len(catalog.topics):
        topic_of = catalog.topic_of
    else:
        place_of = np.full(len(catalog.topics), NOBODY)
        place_of[topics] = np.arange(len(topics))
        topic_of = place_of[catalog.topic_of]
        places = np.flatnonzero(topic_of != NOBODY)
        owners, topic_of = owners[places], topic_of[places]
    homes = None
    if (people.racks != people.racks[0]).any() or (people.caps < UNLIMITED).any():
        homes = np.append(people.racks, NOBODY)[group.owners[places]]
    may = None
    if not people.rows[kinds][:, topics].all():
        may = np.asfortranarray(people.rows[people.subscription[members]][:, topics])
        owned = np.flatnonzero(owners != NOBODY)
        lost = owned[~may[owners[owned], topic_of[owned]]]
        owners = owners.copy()
        owners[lost] = NOBODY
    return Part(
        members,
        topics,
        may,
        places,
        owners,
        topic_of,
        people.weights[members],
        people.caps[members],
        people.racks[members],
        homes,
    )
