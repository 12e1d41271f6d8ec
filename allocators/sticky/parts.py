"""Parts: a group is cut where no subscriptions overlap.

Members whose subscriptions never overlap, however far the chain is followed, do not affect each
other. Each such part is a problem of its own, and most parts are simple ones where every member
subscribes every topic. A group may be thousands of them, so what is done for a part is in
proportion to it, and what is done for the group is done once.

Called by ``sticky``. A member and a topic it subscribes are in the same part.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from allocators.sticky.catalog import NOBODY, Group
from allocators.sticky.chain import Flags
from allocators.sticky.waterline import UNLIMITED, Ints


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
    people = group.people
    of_topic = _chains(people.rows)
    count = int(of_topic.max(initial=NOBODY)) + 1
    if not count:
        return
    of_kind = np.where(people.rows.any(axis=1), of_topic[people.rows.argmax(axis=1)], NOBODY)
    of_member = of_kind[people.subscription]
    racks = None
    if (people.racks != people.racks[0]).any() or (people.caps < UNLIMITED).any():
        racks = np.append(people.racks, NOBODY)
    cut = _Cut(group, racks, np.full(len(group.members) + 1, NOBODY))
    each = (_sorted(those, count) for those in (of_member, of_topic, of_kind))
    for members, topics, kinds in zip(*each, strict=True):
        yield cut.part(members, topics, kinds)


def _chains(rows: Flags) -> Ints:
    """Number the chain that each topic is in; those that nobody subscribes are in none.

    Row by row, the smaller chains that it touches are joined to the largest, until there is one.
    """
    chain_of = np.where(rows.any(axis=0), np.arange(rows.shape[1]), NOBODY)
    chains = {topic: [topic] for topic in chain_of.tolist() if topic != NOBODY}
    for row in rows:
        touched = chain_of[row]
        if not touched.size or (touched == touched[0]).all():
            continue
        largest, *others = sorted(set(touched.tolist()), key=lambda it: -len(chains[it]))
        for other in others:
            joining = chains.pop(other)
            chain_of[joining] = largest
            chains[largest] += joining
        if len(chains) == 1:
            break
    numbers = np.unique(chain_of, return_inverse=True)[1]
    return numbers - (NOBODY in chain_of)


def _sorted(chain_of: Ints, count: int) -> list[Ints]:
    """Return what is in each chain, in order."""
    order = np.argsort(chain_of, kind="stable")
    edges = np.searchsorted(chain_of[order], np.arange(count + 1))
    return [order[first:last] for first, last in pairwise(edges.tolist())]


@dataclass(frozen=True, slots=True)
class _Cut:
    """What all parts are cut from."""

    group: Group
    racks: Ints | None
    """The members', and NOBODY's; None where racks decide nothing."""
    number: Ints
    """Where each member stands in the part that is being cut, or NOBODY."""

    def part(self, members: Ints, topics: Ints, kinds: Ints) -> Part:
        group, people = self.group, self.group.people
        places, topic_of = _shelves(group, topics)
        homes = None if self.racks is None else self.racks[group.owners[places]]
        owners = group.owners
        if len(members) < len(group.members):
            self.number[members] = np.arange(len(members))
            owners = self.number[owners[places]]
            self.number[members] = NOBODY
        else:
            owners = owners[places]
        may = None
        wanted = people.rows[kinds][:, topics]
        if not wanted.all():
            may = np.asfortranarray(wanted[np.searchsorted(kinds, people.subscription[members])])
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


def _shelves(group: Group, topics: Ints) -> tuple[Ints | slice, Ints]:
    """Return where the queues of the topics stand, and the topic of each."""
    catalog = group.catalog
    if len(topics) == len(catalog.topics):
        return slice(None), catalog.topic_of
    sizes = catalog.sizes[topics]
    gaps = catalog.starts[topics] - (np.cumsum(sizes) - sizes)
    return np.repeat(gaps, sizes) + np.arange(sizes.sum()), np.repeat(np.arange(len(topics)), sizes)
