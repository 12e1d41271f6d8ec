"""Numbers for names: a request as arrays, and a plan that stays one.

A strategy that counts wants members, topics and queues as 0, 1, 2 …; building that for half a
million queues costs more than a small change of plan. So a plan of ours, ``Owners``, keeps its
numbering and its array; when it comes back as the next request's ``current`` (the brain hands the
target back as it got it), only what changed is numbered anew. Any other mapping works as well
and is read queue by queue.

Numbers follow Java's order of names, whatever order the request came in. Called by ``sticky``.
Its one rule: an ``Owners`` is never changed once it is made.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from allocators.java_order import in_order, ranked
from allocators.sticky.census import Census, census
from allocators.sticky.chain import Flags
from allocators.sticky.waterline import Ints
from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.ids import MemberId, Queue, TopicName
from rebalance.owners import OwnersByMember, Renamed, Which

NOBODY = -1

Queues = Mapping[TopicName, tuple[Queue, ...]]

_NOTHING: Final[Mapping[Queue, MemberId]] = {}


class Catalog:
    """Every queue there is, topic by topic, in order."""

    def __init__(self, queues: Queues) -> None:
        self._source = dict(queues)
        self.topics = ranked(queues)
        shelves = [in_order(queues[topic]) for topic in self.topics]
        self.queues: list[Queue] = [queue for shelf in shelves for queue in shelf]
        self.sizes: Ints = np.array([len(shelf) for shelf in shelves], np.int64)
        self.starts: Ints = np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def places(self) -> dict[Queue, int]:
        """Where each queue stands."""
        return {queue: place for place, queue in enumerate(self.queues)}

    @cached_property
    def topic_of(self) -> Ints:
        """The topic of each queue."""
        return np.repeat(np.arange(len(self.topics)), self.sizes)

    def shows(self, queues: Queues) -> bool:
        """Say whether these are the very queues of this catalog."""
        mine = self._source
        return len(mine) == len(queues) and all(
            mine.get(topic) is shelf for topic, shelf in queues.items()
        )


class Owners(OwnersByMember):
    """Who owns what, as an array that reads like a dictionary."""

    def __init__(self, group: "Group", owners: Ints) -> None:
        self.catalog = group.catalog
        self.members = group.members
        self.rows = group.people.row_of
        self.owners = owners

    def __getitem__(self, queue: Queue) -> MemberId:
        """Return the owner of ``queue``."""
        owner = int(self.owners[self.catalog.places[queue]])
        if owner == NOBODY:
            raise KeyError(queue)
        return self.members[owner]

    def owned_by(self, which: Which) -> Iterable[Queue]:
        """Return the queues of those members."""
        chosen = np.fromiter((*map(which, self.members), False), np.bool_)  # NOBODY is the last one
        return map(self.catalog.queues.__getitem__, np.flatnonzero(chosen[self.owners]).tolist())

    def _listed(self) -> dict[Queue, MemberId]:
        owned = np.flatnonzero(self.owners != NOBODY)
        queues = map(self.catalog.queues.__getitem__, owned.tolist())
        names = map(self.members.__getitem__, self.owners[owned].tolist())
        return dict(zip(queues, names, strict=True))

    def __len__(self) -> int:
        return int(np.count_nonzero(self.owners != NOBODY))

    def __iter__(self) -> Iterator[Queue]:
        return (self.catalog.queues[place] for place in np.flatnonzero(self.owners != NOBODY))


@dataclass(frozen=True, slots=True)
class Group:
    """A request in numbers."""

    catalog: Catalog
    members: tuple[MemberId, ...]
    owners: Ints
    """The member that owns each queue now, or NOBODY."""
    people: Census
    orphans: Flags | None = None
    """Queues that somebody owned who is no member any more, if the numbering was taken over."""

    def plan(self, owners: Ints, unassigned: Mapping[Queue, str]) -> AllocationPlan:
        """Return ``owners`` as a plan; what it changes, it knows only of queues it knew before."""
        changed = None
        if self.orphans is not None:
            places = np.flatnonzero((owners != self.owners) | self.orphans)
            changed = [self.catalog.queues[place] for place in places.tolist()]
        return AllocationPlan(Owners(self, owners), unassigned, changed, heeds_capacity=True)


def numbered(request: AllocationRequest) -> Group:
    """Number the request, reusing what its ``current`` knows."""
    whole = request.current
    current, renamed = (
        (whole.owners, whole.renamed) if isinstance(whole, Renamed) else (whole, _NOTHING)
    )
    members = ranked(request.candidates)
    candidates = map(request.candidates.__getitem__, members)
    if isinstance(current, Owners) and current.catalog.shows(request.queues):
        catalog = current.catalog
        people = census(candidates, catalog.topics, current.rows)
        known = _with(renamed, _renumbered(current, members), catalog, members)
        orphans = (current.owners != NOBODY) & (known == NOBODY)
        return Group(catalog, members, known, people, orphans)
    catalog = Catalog(request.queues)
    people = census(candidates, catalog.topics, {})
    if not current:
        return Group(catalog, members, np.full(len(catalog.queues), NOBODY), people)
    find = whole.get
    number: dict[MemberId | None, int] = {name: place for place, name in enumerate(members)}
    owners = (number.get(find(queue), NOBODY) for queue in catalog.queues)
    return Group(catalog, members, np.fromiter(owners, np.int64, len(catalog.queues)), people)


def _renumbered(current: Owners, members: tuple[MemberId, ...]) -> Ints:
    if members == current.members:
        return current.owners
    before = current.members
    stays = _flags(before, frozenset(members))
    known = np.ones(len(members), np.bool_)
    if np.count_nonzero(stays) < len(members):
        known = _flags(members, frozenset(before))
    places = np.full(len(before) + 1, NOBODY)  # NOBODY is the last one
    places[:-1][stays] = np.flatnonzero(known)  # both are in the same order
    return places.take(current.owners, mode="wrap")


def _with(
    renamed: Mapping[Queue, MemberId], known: Ints, catalog: Catalog, members: Sequence[MemberId]
) -> Ints:
    """Return the numbers with those of some queues changed."""
    if not renamed:
        return known
    names = set(renamed.values())
    number = {name: place for place, name in enumerate(members) if name in names}
    changed = known.copy()
    for queue, name in renamed.items():
        changed[catalog.places[queue]] = number.get(name, NOBODY)
    return changed


def _flags(members: Sequence[MemberId], there: Collection[MemberId]) -> Flags:
    """Flag the members that are there."""
    return np.fromiter(map(there.__contains__, members), np.bool_, len(members))
