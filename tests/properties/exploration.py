"""Every interleaving: the real controller and model members, as far as a scope reaches.

A world is the controller's state, each member's view, the releases under way and what is left of
the budget for trouble (changed wishes, deaths, lost releases). From each world the explorer takes
every step that could come next, breadth first, so that the first violation it meets is a shortest
one.

Looked for in every world: two members at work on one queue, and a token that does not grow. In
every quiet world, where nothing but luck and trouble is left: each queue is worked on by exactly
the member it was wished for, and the books are at rest.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from tests.properties import model_member
from tests.properties.model_member import IDLE, WORKING, Release, View
from tests.properties.real_controller import (
    NOBODY,
    Beat,
    Booked,
    Gone,
    Input,
    RealController,
    Rejoined,
    Wish,
    Wished,
)


class Trouble(NamedTuple):
    """How often each kind of trouble may still strike."""

    wishes: int
    """Changes of the target, the first one included."""
    deaths: int = 0
    """Crashes; who crashed may come back as a younger life, before or after it is fenced."""
    losses: int = 0
    """Releases that reach neither the heir nor the controller, to be repaired by a beat."""


class Scope(NamedTuple):
    """How much is explored."""

    members: int
    queues: int
    trouble: Trouble


class World(NamedTuple):
    """Everything that the next step may depend on."""

    controller: int
    views: tuple[View, ...]
    log: tuple[Release, ...]
    """Releases that the controller has not read, in order."""
    heard: frozenset[Release]
    """Releases that the controller has read and somebody may still wait for."""
    wish: Wish
    tokens: tuple[int, ...]
    """By queue, the largest epoch that anybody has worked under."""
    trouble: Trouble


Step = tuple[str, World]


class Outcome(NamedTuple):
    """What an exploration found."""

    worlds: int
    controller_states: int
    quiet: int
    violation: str
    """Empty, or what was found and the shortest way there."""


class Exploration:
    """A breadth-first search through the worlds of a scope."""

    def __init__(self, scope: Scope) -> None:
        """Begin with everybody joined and no queue wished for anybody."""
        self.scope = scope
        self.controller = RealController(scope.members, scope.queues)
        choices = [NOBODY, *range(scope.members)]
        self._wishes = list(product(choices, repeat=scope.queues))
        self._came_from: dict[int, tuple[int, str]] = {}
        """By the hash of a world, the one before it and the step between them."""

    def run(self) -> Outcome:
        """Explore the whole scope, or up to the first violation."""
        start = self._start()
        self._came_from[hash(start)] = (0, "")
        frontier, quiet = [start], 0
        while frontier:
            following: list[World] = []
            for world in frontier:
                steps = list(self._certain(world))
                wrong = self._unsafe(world) or ("" if steps else self._unsettled(world))
                if wrong:
                    return self._outcome(quiet, f"{wrong}, after\n{self._trace(world)}")
                quiet += not steps
                steps += self._possible(world)
                here = hash(world)
                for name, after in steps:
                    there = hash(after)
                    if there not in self._came_from:
                        self._came_from[there] = (here, name)
                        following.append(after)
            frontier = following
        return self._outcome(quiet, "")

    def _outcome(self, quiet: int, violation: str) -> Outcome:
        return Outcome(len(self._came_from), len(self.controller), quiet, violation)

    def _trace(self, world: World) -> str:
        steps, (before, name) = [], self._came_from[hash(world)]
        while name:
            steps.append(name)
            before, name = self._came_from[before]
        return "\n".join([*reversed(steps), str(world)])

    def _start(self) -> World:
        members, queues, trouble = self.scope
        views = (model_member.newborn(1, queues),) * members
        nobody, tokens = (NOBODY,) * queues, (0,) * queues
        return World(self.controller.start, views, (), frozenset(), nobody, tokens, trouble)

    # -- what is bound to happen, sooner or later

    def _certain(self, world: World) -> Iterator[Step]:
        if world.log:
            read, heard = world.log[0], world.heard | {world.log[0]}
            after = world._replace(log=world.log[1:], heard=heard)
            yield f"the controller books {read}", _forgetful(self._told(after, Booked(*read)))
        lives = self.controller.lives(world.controller)
        for me, view in enumerate(world.views):
            if view.alive:
                yield from self._life(world, me, view)
            elif lives[me] == view.life:
                yield f"m{me} is fenced", self._told(world, Gone(me, view.life))

    def _life(self, world: World, me: int, view: View) -> Iterator[Step]:
        for name, moved, released in model_member.moves(view, me):
            yield name, _with_view(world, me, moved, released)
        if self.scope.trouble.losses:
            beat = Beat(me, view.life, view.acted, model_member.owned(view))
            if self.controller.reply(world.controller, beat).state != world.controller:
                yield f"m{me} beats", self._told(world, beat)

    # -- what may or may not happen: luck, and trouble as far as the budget goes

    def _possible(self, world: World) -> Iterator[Step]:
        wishes, deaths, losses = world.trouble
        if wishes:
            spent = world._replace(trouble=Trouble(wishes - 1, deaths, losses))
            for wish in self._wishes:
                if wish != world.wish:
                    yield f"wished: {wish}", self._told(spent._replace(wish=wish), Wished(wish))
        for me, view in enumerate(world.views):
            if view.alive:
                yield from self._luck(world, me, view)
            else:
                reborn = model_member.newborn(view.life + 1, self.scope.queues)
                after = _with_view(world, me, reborn)
                yield f"m{me} is reborn", self._told(after, Rejoined(me, reborn.life))

    def _luck(self, world: World, me: int, view: View) -> Iterator[Step]:
        wishes, deaths, losses = world.trouble
        for source, (name, moved, _) in model_member.starts(view, me):
            if source in world.log or source in world.heard:
                yield name, _with_view(world, me, moved)
        if deaths:
            spent = world._replace(trouble=Trouble(wishes, deaths - 1, losses))
            yield f"m{me} dies", _with_view(spent, me, model_member.dead(view))
        if losses:
            spent = world._replace(trouble=Trouble(wishes, deaths, losses - 1))
            for name, moved, _ in model_member.finishes(view, me):
                yield f"{name}, but that is lost", _with_view(spent, me, moved)

    def _told(self, world: World, message: Input) -> World:
        reply = self.controller.reply(world.controller, message)
        views = list(world.views)
        for me, orders in reply.records:
            view = views[me]
            if view.alive:
                views[me] = view._replace(unread=(*view.unread, orders))
        return world._replace(controller=reply.state, views=tuple(views))

    # -- what must never be, and what must be in the end

    def _unsafe(self, world: World) -> str:
        for queue, token in enumerate(world.tokens):
            duties = [view.duties[queue] for view in world.views]
            at_work = [duty.epoch for duty in duties if duty.state >= WORKING]
            if len(at_work) > 1:
                return f"q{queue} has several owners"
            if at_work and at_work[0] < token:
                return f"the token of q{queue} went back from {token} to {at_work[0]}"
        return ""

    def _unsettled(self, world: World) -> str:
        lives = self.controller.lives(world.controller)
        for queue, wished in enumerate(world.wish):
            states = [view.duties[queue].state for view in world.views]
            wanted = [
                WORKING if me == wished and lives[me] else IDLE for me in range(len(world.views))
            ]
            if states != wanted:
                return f"at rest, q{queue} is not with the member it was wished for"
        return "" if self.controller.settled(world.controller) else "the books are not at rest"


def _with_view(world: World, me: int, view: View, released: tuple[Release, ...] = ()) -> World:
    """Return the world after a move of a member."""
    tokens = tuple(
        max(token, duty.epoch) if duty.state == WORKING else token
        for token, duty in zip(world.tokens, view.duties, strict=True)
    )
    views = (*world.views[:me], view, *world.views[me + 1 :])
    log = world.log + released
    return _forgetful(world._replace(views=views, tokens=tokens, log=log))


def _forgetful(world: World) -> World:
    """Forget the releases that nobody can be waiting for: worlds that differ by them are equal."""
    if not world.heard:
        return world
    awaited = {source for view in world.views for source in model_member.sources(view)}
    return world._replace(heard=world.heard & awaited)
