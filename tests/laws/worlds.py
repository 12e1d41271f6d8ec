"""Worlds: what an exploration moves through, as values that can be hashed.

A world is the controller's state, each process's view, the releases under way and what is left of
the budget for trouble. A scope says how it begins. Worlds that differ by what nobody can notice any
more are equal, so that they are explored once.
"""

from collections.abc import Iterable
from typing import NamedTuple

from rebalance.groups.model.policy import Policy
from tests.laws import views
from tests.laws.messages import Wish
from tests.laws.real_controller import POLICY
from tests.laws.views import WORKING, Claim, Release, View


class Trouble(NamedTuple):
    """How often each kind of trouble may still strike."""

    wishes: int
    """Changes of the target, the first one included."""
    deaths: int = 0
    """Crashes; who crashed may come back as a younger life, before or after it is fenced."""
    losses: int = 0
    """Releases that reach neither the heir nor the controller, to be repaired by a beat."""
    leaves: int = 0
    """Temporary leaves: who went may come back, or not."""
    stops: int = 0
    """Members that are asked to leave: they let go of all that they have, unasked, and go."""
    twins: int = 0
    """Second processes under a name that is in use."""
    surges: int = 0
    """New members with the instance of one that works."""
    drains: int = 0
    """Operators' commands that a member is to have nothing."""
    pauses: int = 0
    """Operators' commands that nothing is to move, for a while."""
    shrinks: int = 0
    """Times that the last queue vanishes, or returns."""


class Scope(NamedTuple):
    """How much is explored."""

    members: int
    queues: int
    trouble: Trouble
    eager: int = 0
    """So many of the members, the first ones, know no releases."""
    policy: Policy = POLICY

    @property
    def overlapping(self) -> bool:
        """Whether a life may be given up that still works, and has not read of it."""
        return bool(self.trouble.twins or self.trouble.surges)


class World(NamedTuple):
    """Everything that the next step may depend on."""

    controller: int
    views: tuple[View, ...]
    log: tuple[Release, ...]
    """Releases that the controller has not read, in order."""
    heard: frozenset[Release]
    """Releases that the controller has read and somebody may still wait for."""
    released: frozenset[Claim]
    """Grants of which a release stands in the log; the first one counts."""
    wish: Wish
    tokens: tuple[int, ...]
    """By queue, the largest epoch that anybody has worked under."""
    trouble: Trouble


Step = tuple[str, World]


def with_view(world: World, place: int, view: View, released: tuple[Release, ...] = ()) -> World:
    """Return the world after a move of a process."""
    tokens = tuple(
        max(token, duty.epoch) if duty.state == WORKING else token
        for token, duty in zip(world.tokens, view.duties, strict=True)
    )
    views = (*world.views[:place], view, *world.views[place + 1 :])
    return forgetful(logged(world._replace(views=views, tokens=tokens), released))


def logged(world: World, said: Iterable[Release]) -> World:
    """Return the world after releases were written; later ones of a grant change nothing."""
    for release in said:
        if release.grant not in world.released:
            released = world.released | {release.grant}
            world = world._replace(log=(*world.log, release), released=released)
    return world


def forgetful(world: World) -> World:
    """Forget the releases that nobody can be waiting for: worlds that differ by them are equal."""
    if not world.heard:
        return world
    awaited = {source for view in world.views for source in views.sources(view)}
    return world._replace(heard=world.heard & awaited)
