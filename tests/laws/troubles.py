"""What may or may not happen: deliveries, and trouble as far as the budget allows.

Each kind of trouble is one small function that says what the world could be next. None of them has
to happen, so a world in which only these are left is quiet.
"""

from collections.abc import Callable, Iterator, Sequence

from tests.laws import views
from tests.laws.members import Members
from tests.laws.messages import (
    Away,
    Drained,
    Input,
    Paused,
    Rejoined,
    Resized,
    Wish,
    Wished,
)
from tests.laws.real_controller import RealController
from tests.laws.views import Release, View, called
from tests.laws.worlds import Scope, Step, World, begun, forgetful, logged, with_view

Told = Callable[[World, Input], World]


class Troubles:
    """Everything that may go wrong in a scope."""

    def __init__(
        self,
        scope: Scope,
        controller: RealController,
        members: Members,
        wishes: Sequence[Wish],
        told: Told,
    ) -> None:
        """Know whom to ask and how the controller is told."""
        self._scope, self._controller, self._members = scope, controller, members
        self._wishes, self._told = wishes, told

    def possible(self, world: World) -> Iterator[Step]:
        """Return whatever may come next."""
        trouble = world.trouble
        yield from self._guards(world)
        if self._scope.away and not world.away:
            return
        yield from self._commands(world)
        for place, view in enumerate(world.views):
            if view.alive:
                yield from self._luck(world, place, view)
                if trouble.deaths:
                    spent = world._replace(trouble=trouble._replace(deaths=trouble.deaths - 1))
                    yield f"{called(view)} dies", self._dead(spent, place, view)
                if trouble.losses:
                    yield from self._lost(world, place, view)
                yield from self._doubles(world, place, view)
            elif not view.over and (self._scope.reborn or trouble.returns):
                less = 0 if self._scope.reborn else 1
                spent = world._replace(trouble=trouble._replace(returns=trouble.returns - less))
                reborn = views.reborn(view, _next_life(world, view))
                after = with_view(spent, place, reborn)
                yield f"{called(view)} is reborn", self._comes(after, place)

    def _dead(self, world: World, place: int, view: View) -> World:
        guards = world.guards
        if self._scope.lives:
            guards |= self._members.holdings(view)
        elif self._scope.guards:
            guards |= views.guarded(view)
        return with_view(world._replace(guards=guards), place, views.dead(view))

    def _guards(self, world: World) -> Iterator[Step]:
        """A guard says for the dead what they had not said, if it gets to it, and none too soon."""
        for release in world.guards:
            after = world._replace(guards=world.guards - {release})
            yield f"the guard writes {release}", forgetful(logged(after, [release]))

    def _luck(self, world: World, place: int, view: View) -> Iterator[Step]:
        """A release is heard of, sooner or later, before or after it is booked."""
        if self._scope.lives:  # it is read in its turn
            if view.stopping:
                name, moved, released = self._members.hurries(view)
                yield name, with_view(world, place, moved, released)
            return
        for source, (name, moved, released) in self._members.starts(view):
            if _is_heard(world, view, source):
                yield name, with_view(world, place, moved, released)
        for said in world.log:
            if isinstance(said, Release) and views.at_work(view, said) and not view.eager:
                name, moved, released = self._members.loses(view, said)
                moved = moved._replace(heedless=moved.alive and views.at_work(moved, said))
                yield name, with_view(world, place, moved, released)
        for name, moved, released in self._members.mistakes(view):
            yield name, with_view(world, place, moved, released)

    def _lost(self, world: World, place: int, view: View) -> Iterator[Step]:
        trouble = world.trouble
        spent = world._replace(trouble=trouble._replace(losses=trouble.losses - 1))
        for name, moved, _ in self._members.finishes(view):
            yield f"{name}, but that is lost", with_view(spent, place, moved)

    def _commands(self, world: World) -> Iterator[Step]:
        """The target, an operator, or the routes want something else."""
        trouble = world.trouble
        if trouble.wishes:
            spent = world._replace(trouble=trouble._replace(wishes=trouble.wishes - 1))
            for wish in self._wishes:
                if wish != world.wish:
                    yield f"wished: {wish}", self._told(spent._replace(wish=wish), Wished(wish))
        if trouble.pauses:
            spent = world._replace(trouble=trouble._replace(pauses=trouble.pauses - 1))
            yield "the group is paused", self._told(spent, Paused())
        if trouble.shrinks:
            spent = world._replace(trouble=trouble._replace(shrinks=trouble.shrinks - 1))
            queues = self._scope.queues
            count = queues - (self._controller.existing(world.controller) == queues)
            yield f"there are {count} queues", self._told(spent, Resized(count))

    def _doubles(self, world: World, place: int, view: View) -> Iterator[Step]:
        """A member goes for a while, is to have nothing, or meets somebody who claims its place."""
        trouble, name = world.trouble, called(view)
        if self._controller.lives(world.controller)[view.me] != view.life:
            return
        if trouble.leaves:
            spent = world._replace(trouble=trouble._replace(leaves=trouble.leaves - 1))
            gone = with_view(spent, place, views.dead(view))
            yield f"{name} goes for a while", self._told(gone, Away(view.me, view.life))
        if trouble.stops and not view.eager and not view.stopping:
            spent = world._replace(trouble=trouble._replace(stops=trouble.stops - 1))
            said, leaving, released = self._members.stops(view)
            yield said, with_view(spent, place, leaving, released)
        if trouble.drains:
            spent = world._replace(trouble=trouble._replace(drains=trouble.drains - 1))
            yield f"{name} is to have nothing", self._told(spent, Drained(view.me))
        if trouble.twins:
            spent = world._replace(trouble=trouble._replace(twins=trouble.twins - 1))
            twin = views.reborn(view, _next_life(world, view))
            yield f"a twin of {name}", self._newcomer(spent, twin)
        if trouble.surges:
            spent = world._replace(trouble=trouble._replace(surges=trouble.surges - 1))
            number = self._scope.members + self._scope.trouble.surges - trouble.surges
            successor = views.reborn(view, 1)._replace(me=number)
            yield f"m{number} comes for {name}", self._newcomer(spent, successor)

    def _newcomer(self, world: World, newcomer: View) -> World:
        return self._comes(world._replace(views=(*world.views, newcomer)), len(world.views))

    def _comes(self, world: World, place: int) -> World:
        """Have a life join, and read from there on."""
        if self._scope.guards:
            world = begun(world, place)
        if self._scope.lives:
            return world  # its join is read later
        said = joins(world.views[place])._replace(marks=self._scope.guards)
        return self._told(world, said)


def _is_heard(world: World, view: View, source: Release) -> bool:
    """Tell whether a life may have heard of a release, and takes it for the first of its grant."""
    if source.grant in view.missed:
        return source in world.late
    return source in world.log or source in world.heard


def _next_life(world: World, view: View) -> int:
    """Return the life that nobody of its name has had."""
    return 1 + max(each.life for each in world.views if each.me == view.me)


def joins(view: View) -> Rejoined:
    """Return what a life says when it joins."""
    return Rejoined(view.me, view.life, view.slot, view.eager)
