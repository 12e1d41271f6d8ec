"""Takeovers: another controller starts while one is at work, and for a while there are two.

The younger one says that it starts. The older one ends with the batch in which it reads that. The
batch before may have been decided and not been written: each of its records is written by itself,
soon, or late, or never. The younger one reads what is published, decides, and then reads the log
on. How far the two overlap is the scope's choice (``Patience``).

Used by ``exploration``. Its one rule: members are not told which of the two has written a record.
"""

from collections.abc import Iterator, Sequence

from tests.laws.messages import (
    Beat,
    Booked,
    Gone,
    Input,
    Logged,
    Marked,
    Passed,
    Started,
    Wish,
    Wished,
)
from tests.laws.older import Memory, Older, Patience, Published, Summary, Told, Unsaid
from tests.laws.real_controller import RealController
from tests.laws.views import Mark, Release, called, owned
from tests.laws.worlds import Scope, Step, World, forgetful, logged, posted


class Takeovers:
    """What two controllers of a scope may do beside what one does."""

    def __init__(self, scope: Scope, controller: RealController, wishes: Sequence[Wish]) -> None:
        """Know whom to ask, and what may be wished for."""
        self._scope, self._controller, self._wishes = scope, controller, wishes

    def first(self, members: int) -> Published | None:
        """Return what is published in the beginning, if anybody will read it."""
        if not self._scope.trouble.takeovers:
            return None
        return Published(self._controller.epoch(self._controller.start), (None,) * members)

    def possible(self, world: World) -> Iterator[Step]:
        """Return what may come next."""
        if world.trouble.takeovers and not world.away and world.older is None:
            yield from self._announced(world)
        if world.older is not None:
            yield from self._writes(world, world.older)
            yield "the older one ends", _alone(world)

    def bound(self, world: World) -> Iterator[Step]:
        """Return what is bound to happen, sooner or later, while the younger one begins."""
        if world.older is not None:
            yield "the older one ends", _alone(world)
        if self._scope.patience is Patience.NONE and world.found is None:
            found = world._replace(found=world.published)
            yield "the younger one reads what is published", found
        elif self._scope.patience is not Patience.ENDED or world.older is None:
            yield "the younger one begins", self._begun(world)

    def noted(self, world: World, message: Input) -> World:
        """Return the world after something was read, for one that will not remember that."""
        published = world.published
        if published is None or self._scope.memory is Memory.CHECKPOINT:
            return world
        if not isinstance(message, Logged):
            return world
        return world._replace(published=published._replace(past=(*published.past, message)))

    def _begun(self, world: World) -> World:
        """Have the younger one read what is published, and decide its first batch."""
        found = world.found or world.published
        assert found is not None
        assert world.published is not None
        started = Started(self._scope.memory, found, world.wish)
        remembers = self._scope.memory is Memory.CHECKPOINT
        state = world.controller if remembers else self._controller.start
        reply = self._controller.reply(state, started)
        if remembers:
            world = world._replace(published=world.published._replace(past=()))
        world = world._replace(controller=reply.state, away=False, found=None)
        for each in reply.said:
            world = written(world, each)
        return _alone(world) if world.older is None else world

    def _announced(self, world: World) -> Iterator[Step]:
        """Another one says that it starts: the last batch of the older one is chosen by then."""
        left = world.trouble.takeovers - 1
        world = world._replace(trouble=world.trouble._replace(takeovers=left), away=True)
        name = "another controller starts"
        yield name, world
        if world.log:
            record = world.log[0]
            yield from self._last(world, f"{name}; the older one reads {record}", read_as(record))
        for what, message in self._hears(world):
            yield from self._last(world, f"{name}; the older one {what}", message)
        if world.trouble.wishes:
            spent = world.trouble._replace(wishes=world.trouble.wishes - 1)
            for wish in self._wishes:
                after = world._replace(trouble=spent, wish=wish)
                yield from self._last(after, f"{name}; wished: {wish}", Wished(wish))

    def _hears(self, world: World) -> Iterator[tuple[str, Input]]:
        living = {(view.me, view.life) for view in world.views if view.alive}
        for gone in set(enumerate(self._controller.lives(world.controller))) - living:
            if gone[1]:
                yield f"fences m{gone[0]}", Gone(*gone)
        for view in world.views:
            if view.alive:
                beat = Beat(view.me, view.life, view.acted, owned(view), newest=True)
                yield f"hears {called(view)}", beat
        yield "lets a batch go by", Passed()

    def _last(self, world: World, name: str, message: Input) -> Iterator[Step]:
        """Have the older one decide its last batch, if it brings anything."""
        read = world.log[:1] if isinstance(message, Booked | Marked) else ()
        unsaid = self._controller.reply(world.controller, message).said
        if unsaid:
            yield name, world._replace(older=Older(unsaid, read))

    def _writes(self, world: World, older: Older) -> Iterator[Step]:
        for place, each in enumerate(older.unsaid):
            if self._is_held(world, each):
                continue
            rest = (*older.unsaid[:place], *older.unsaid[place + 1 :])
            left = older._replace(unsaid=rest)
            after = world._replace(older=left)
            if isinstance(each, Summary) and world.away and world.found is None:
                after = _is_past(after, left)
            after = written(after, each)
            yield f"the older one writes {each}", after if rest else _alone(after)

    def _is_held(self, world: World, said: Unsaid) -> bool:
        """Tell whether a record of the older one is not written now: none newer was told."""
        if world.away or self._scope.patience is Patience.NONE or not isinstance(said, Told):
            return False
        known = world.published and world.published.records[said.member]
        return said.record is not None and (known is None or known.epoch < said.record.epoch)


def read_as(record: Release | Mark) -> Booked | Marked:
    """Return what a controller is told when it reads a record of the releases."""
    return Marked(*record[:2]) if isinstance(record, Mark) else Booked(*record[:7])


def written(world: World, said: Unsaid) -> World:
    """Return the world after a controller has written a record."""
    match said:
        case Told():
            return posted(world, said)
        case Release():
            return logged(world, [said if world.in_order else said._replace(own=True)])
        case Summary(epoch):
            if world.published is None:
                return world
            highest = max(epoch, world.published.epoch)
            return world._replace(published=world.published._replace(epoch=highest))


def _is_past(world: World, older: Older) -> World:
    """Return the world in which the last decision of the older one tells what it had read."""
    assert world.published is not None
    news = world.log[len(older.read) :]
    heard = world.heard | {each for each in older.read if isinstance(each, Release)}
    published = world.published._replace(past=(*world.published.past, *map(read_as, older.read)))
    return world._replace(log=news, heard=heard, published=published)


def _alone(world: World) -> World:
    """Return the world in which there is no older controller any more."""
    after = world._replace(older=None)
    if not world.away and not world.trouble.takeovers:
        after = after._replace(published=None)
    return forgetful(after)
