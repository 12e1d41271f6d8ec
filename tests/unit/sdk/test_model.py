"""Every interleaving of a few members and a controller, with the real session.

Anything may happen in any order: the target changes, releases are booked late, orders are skipped,
the application takes its time to stop, members die and are fenced. In every state that can be
reached no two live members own the queue, and when all is quiet the member that should work does.
"""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.unit.sdk import coach
from tests.unit.sdk.coach import NOTHING, Books, Claim, Order, Published
from tests.unit.sdk.explored import Finish, Hear, Input, Members, Read


class World(NamedTuple):
    """Everything: members by the number of their state (None: dead), and what is in the logs."""

    members: tuple[int | None, ...]
    orders: tuple[tuple[Order, ...], ...]
    read: tuple[int, ...]
    releases: tuple[Claim, ...]
    heard: tuple[int, ...]
    books: Books
    booked: int
    retargets: int
    deaths: int


class Search:
    """Breadth first over all that may happen."""

    def __init__(self, population: int, retargets: int, deaths: int) -> None:
        self.members = Members()
        zeros = (0,) * population
        born = tuple(self.members.born(name) for name in range(population))
        self.start = World(
            born, ((NOTHING,),) * population, zeros, (), zeros, Books(), 0, retargets, deaths
        )

    def run(self) -> int:
        """Visit every state; return how many there are."""
        seen = {self.start}
        frontier = deque(seen)
        while frontier:
            world = frontier.popleft()
            self._check_owners(world)
            later = list(self._later(world))
            if not later:
                self._check_progress(world)
            for after in [*later, *self._surprises(world)]:
                if after not in seen:
                    seen.add(after)
                    frontier.append(after)
        return len(seen)

    def _check_owners(self, world: World) -> None:
        living = [member for member in world.members if member is not None]
        owners = [member for member in living if self.members.owns(member)]

        assert len(owners) <= 1, world

    def _check_progress(self, world: World) -> None:
        wanted = world.books.target
        member = None if wanted is None else world.members[wanted]

        assert member is None or self.members.works(member), world

    def _surprises(self, world: World) -> Iterator[World]:
        """What may happen out of the blue."""
        for name, member in enumerate(world.members):
            books = world.books
            if world.retargets and name != books.target and name not in books.fenced:
                after = world._replace(retargets=world.retargets - 1)
                yield _published(after, *coach.aim(books, name))
            if world.deaths and member is not None:
                yield _with(world._replace(deaths=world.deaths - 1), name, None)

    def _later(self, world: World) -> Iterator[World]:
        """What must happen sooner or later."""
        if world.booked < len(world.releases):
            after = world._replace(booked=world.booked + 1)
            yield _published(after, *coach.book(world.books, world.releases[world.booked]))
        for name, member in enumerate(world.members):
            if member is not None:
                yield from self._steps(world, name, member)
            elif name not in world.books.fenced:
                yield _published(world, *coach.fence(world.books, name))

    def _steps(self, world: World, name: int, member: int) -> Iterator[World]:
        last = len(world.orders[name]) - 1
        for number in {world.read[name] + 1, last}:  # the next one, or only the latest
            if world.read[name] < number <= last:
                read = (*world.read[:name], number, *world.read[name + 1 :])
                order = Read(number, world.orders[name][number])
                yield self._step(world._replace(read=read), name, member, order)
        if world.heard[name] < len(world.releases):
            heard = world.heard[name]
            after = (*world.heard[:name], heard + 1, *world.heard[name + 1 :])
            release = Hear(world.releases[heard])
            yield self._step(world._replace(heard=after), name, member, release)
        if self.members.owns(member) and not self.members.works(member):
            yield self._step(world, name, member, Finish())

    def _step(self, world: World, name: int, member: int, given: Input) -> World:
        after, released = self.members.step(member, given)
        releases = (*world.releases, *((name, epoch) for epoch in released))
        return _with(world._replace(releases=releases), name, after)


def _with(world: World, name: int, member: int | None) -> World:
    members = (*world.members[:name], member, *world.members[name + 1 :])
    return world._replace(members=members)


def _published(world: World, books: Books, published: Published) -> World:
    orders = list(world.orders)
    for name, order in published:
        orders[name] = (*orders[name], order)
    return world._replace(books=books, orders=tuple(orders))


@pytest.mark.parametrize(
    ("population", "retargets", "deaths"), [(2, 4, 0), (2, 3, 1), (3, 2, 1), (3, 3, 0)], ids=str
)
def test_a_queue_never_has_two_owners_and_is_never_forgotten(
    population: int, retargets: int, deaths: int
) -> None:
    """No interleaving gives a queue two owners; when all is read, the right member works."""
    assert Search(population, retargets, deaths).run() > 1_000
