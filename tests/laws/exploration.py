"""Every interleaving: the real controller and real sessions, as far as a scope reaches.

From each world the explorer takes every step that could come next, breadth first, so that the first
violation it meets is a shortest one, and so that it can be stopped at any size and still say how
deep everything was seen. A controller that dies and repeats its batch needs no step of its own: it
says the same again, and each record of a batch may be read at any time as it is.

Looked for in every world: two members at work on one queue, and a token that does not grow. In
every quiet world, where nothing but luck and trouble is left: each queue is worked on by exactly
the member it was wished for, and the books are at rest. What a life does that the controller has
given up, and what an eager member does before it has read its latest record, is excused: there "one
owner" holds as far as they obey.
"""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from itertools import product
from typing import Any, NamedTuple

from tests.laws.judging import Judge
from tests.laws.members import Members
from tests.laws.messages import (
    NOBODY,
    Beat,
    Elapsed,
    Gone,
    Input,
    Passed,
    Rejoined,
    Resumed,
    Silent,
    Wished,
)
from tests.laws.real_controller import RealController
from tests.laws.takeovers import Takeovers, read_as, written
from tests.laws.troubles import Troubles, joins
from tests.laws.views import Life, Mark, View, called, newborn, owned
from tests.laws.worlds import (
    Scope,
    Step,
    World,
    forgetful,
    logged,
    marked,
    with_view,
)

Progress = Callable[[int, int], object]
"""Told before each world: how deep it is, and how many were found so far."""
_AFTER = ", after\n"


class Outcome(NamedTuple):
    """What an exploration found."""

    worlds: int
    controller_states: int
    quiet: int
    depth: int
    """Every world that so many steps lead to was looked at."""
    complete: bool
    """There are no others."""
    violation: str
    """Empty, or what was found and the shortest way there."""

    @property
    def wrong(self) -> str:
        """What was found alone."""
        return self.violation.partition(_AFTER)[0]


class Exploration:
    """A breadth-first search through the worlds of a scope."""

    def __init__(self, scope: Scope) -> None:
        """Begin with everybody joined and no queue wished for anybody."""
        self.scope = scope
        trouble, choices = scope.trouble, [NOBODY, *range(scope.members)]
        self.controller = RealController(
            scope.members,
            scope.queues,
            newcomers=trouble.surges,
            eager=scope.eager,
            policy=scope.policy,
            restarted=bool(trouble.takeovers),
        )
        self.members = Members(in_order=scope.lives)
        wishes = scope.wanted or list(product(choices, repeat=scope.queues))
        self._judge = Judge(scope, self.controller)
        self._takeovers = Takeovers(scope, self.controller, wishes)
        self._troubles = Troubles(scope, self.controller, self.members, wishes, self._told)
        self._came_from: dict[int, int] = {}
        """The hash of the world before, by the hash of a world: all that is kept of most."""

    def run(self, most: int | None = None, progress: Progress | None = None) -> Outcome:
        """Explore the whole scope, or up to so many worlds, or up to the first violation."""
        start = self._start()
        self._came_from[hash(start)] = 0
        frontier, quiet, depth = [start], 0, 0
        while frontier:
            following: list[World] = []
            for world in frontier:
                if progress is not None:
                    progress(depth, len(self._came_from))
                certain = list(self._certain(world))
                wrong = self._judge.unsafe(world) or (
                    "" if certain else self._judge.unsettled(world)
                )
                if wrong:
                    trace = f"{wrong}{_AFTER}{self._trace(world)}"
                    return self._outcome(quiet, depth, violation=trace)
                quiet += not certain
                following += self._new(world, [*certain, *self._uncertain(world)])
                if most is not None and len(self._came_from) >= most:
                    return self._outcome(quiet, depth - 1)  # this layer is not done
            frontier, depth = following, depth + 1
        return self._outcome(quiet, depth, complete=True)

    def _new(self, world: World, steps: list[Step]) -> Iterator[World]:
        here = hash(world)
        for _, after in steps:
            there = hash(after)
            if there not in self._came_from:
                self._came_from[there] = here
                yield after

    def _outcome(
        self, quiet: int, depth: int, *, complete: bool = False, violation: str = ""
    ) -> Outcome:
        worlds, states = len(self._came_from), len(self.controller)
        return Outcome(worlds, states, quiet, depth, complete, violation)

    def _trace(self, world: World) -> str:
        """Walk again from the beginning to a world, and say how."""
        way = [hash(world)]
        while self._came_from[way[-1]]:
            way.append(self._came_from[way[-1]])
        here, story = self._start(), []
        for there in reversed(way[:-1]):
            steps = [*self._certain(here), *self._uncertain(here)]
            name, here = next(each for each in steps if hash(each[1]) == there)
            story.append(name)
        return "\n".join([*story, str(here)])

    def _start(self) -> World:
        members, queues, trouble, eager, *_ = self.scope
        views = tuple(newborn(me, 1, queues, eager=me < eager) for me in range(members))
        nobody, tokens, none = (NOBODY,) * queues, (0,) * queues, frozenset[Any]()
        world = World(
            self.controller.start,
            views,
            (),
            none,
            none,
            nobody,
            tokens,
            trouble,
            in_order=self.scope.lives,
            published=self._takeovers.first(members),
        )
        world = self._at_rest(world) if self.scope.rest else world
        return world._replace(away=self.scope.away)

    def _at_rest(self, world: World) -> World:
        world = self._told(world._replace(wish=self.scope.rest), Wished(self.scope.rest))
        while (certain := next(self._certain(world), None)) is not None:
            world = certain[1]
        return world

    def _uncertain(self, world: World) -> Iterator[Step]:
        yield from self._troubles.possible(world)
        yield from self._takeovers.possible(world)

    # -- what is bound to happen, sooner or later

    def _certain(self, world: World) -> Iterator[Step]:
        if world.away:
            yield from self._without_controller(world)
            return
        if world.log:
            yield f"the controller reads {world.log[0]}", self._read(world)
        yield from self._passing(world)
        lives = self.controller.lives(world.controller)
        living = {(view.me, view.life) for view in world.views if view.alive}
        yield from self._endings(world, lives, living)
        for place, view in enumerate(world.views):
            if view.alive:
                yield from self._life(world, place, view, lives[view.me])

    def _without_controller(self, world: World) -> Iterator[Step]:
        if self.scope.trouble.takeovers:
            yield from self._takeovers.bound(world)
        else:
            yield "the controller is back", world._replace(away=False)
        for place, view in enumerate(world.views):
            yield from self._moves(world, place, view)

    def _endings(
        self, world: World, lives: tuple[int, ...], living: AbstractSet[Life]
    ) -> Iterator[Step]:
        for gone in set(enumerate(lives)) - living:
            if gone[1]:
                yield f"m{gone[0]} is fenced", self._told(world, Gone(*gone))
        for gone in self.controller.strangers(world.controller) - living:
            if gone not in enumerate(lives):
                yield f"m{gone[0]}:{gone[1]} is silent", self._told(world, Silent(*gone))

    def _passing(self, world: World) -> Iterator[Step]:
        if self.controller.paused(world.controller):
            yield "the pause ends", self._told(world, Resumed())
        if self.scope.standing and self._changes(world, Passed()):
            yield "a batch goes by", self._told(world, Passed())
        if self.scope.eager and self._changes(world, Elapsed()):
            yield "a grace runs out", self._told(world, Elapsed())

    def _read(self, world: World) -> World:
        """Have the controller read the next record of the log."""
        record, after = world.log[0], world._replace(log=world.log[1:])
        if isinstance(record, Mark):
            return forgetful(self._told(marked(after, record), read_as(record)))
        if not self.scope.lives:
            after = after._replace(heard=world.heard | {record})
        return forgetful(self._told(after, read_as(record)))

    def _life(self, world: World, place: int, view: View, known: int) -> Iterator[Step]:
        yield from self._moves(world, place, view)
        unanswered = not view.acted and not view.unread
        join = joins(view)._replace(marks=self.scope.lives)
        if unanswered and known < view.life and self._changes(world, join):
            yield f"{called(view)} asks again", self._asked(world, place, join)
        if self.scope.lives and known == view.life:
            yield from self._shows(world, view)
        if (self.scope.trouble.losses or self.scope.newest) and not view.eager:
            beat = Beat(view.me, view.life, view.acted, owned(view), newest=self.scope.newest)
            if self._changes(world, beat):
                yield f"{called(view)} beats", self._told(world, beat)

    def _moves(self, world: World, place: int, view: View) -> Iterator[Step]:
        """What a life does without asking anybody."""
        if view.alive:
            for name, moved, released in self.members.moves(view):
                yield name, with_view(world, place, moved, released)

    def _asked(self, world: World, place: int, join: Rejoined) -> World:
        """Have the controller read a join."""
        after, who = self._told(world, join), (join.member, join.life)
        was_named = who in self.controller.strangers(world.controller)
        if was_named and self.controller.lives(after.controller)[join.member] != join.life:
            view = after.views[place]._replace(wronged="a life that was named is kept out")
            return with_view(after, place, view)
        return after

    def _shows(self, world: World, view: View) -> Iterator[Step]:
        """The controller has read its mark before its join; it is written with each beat."""
        mark = Mark(view.me, view.life)
        if self.controller.awaits(world.controller, view.me) and mark not in world.log:
            yield f"{called(view)} shows its mark again", logged(world, [mark])

    def _changes(self, world: World, message: Input) -> bool:
        return self.controller.reply(world.controller, message).state != world.controller

    def _told(self, world: World, message: Input) -> World:
        if world.away:
            return world
        reply = self.controller.reply(world.controller, message)
        world = self._takeovers.noted(world._replace(controller=reply.state), message)
        for each in reply.said:
            world = written(world, each)
        return world
