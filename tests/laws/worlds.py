"""Worlds: what an exploration moves through, as values that can be hashed.

A world is the controller's state, each process's view, the releases under way and what is left of
the budget for trouble. A scope says how it begins. Worlds that differ by what nobody can notice any
more are equal, so that they are explored once.
"""

from collections.abc import Iterable
from typing import NamedTuple

from rebalance.groups.model.policy import Policy, TwinRule
from tests.laws import following, views
from tests.laws.messages import Wish
from tests.laws.older import Memory, Older, Patience, Published, Told
from tests.laws.real_controller import POLICY, STANDING
from tests.laws.views import WORKING, Grant, Mark, Release, View


class Trouble(NamedTuple):
    """How often each kind of trouble may still happen."""

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
    returns: int = 0
    """Times that who has gone comes back, in scopes that do not let everybody come back."""
    takeovers: int = 0
    """Times that another controller starts while one is at work."""


class Scope(NamedTuple):
    """How much is explored."""

    members: int
    queues: int
    trouble: Trouble
    eager: int = 0
    """So many of the members, the first ones, know no releases."""
    policy: Policy = POLICY
    guards: bool = False
    """Who dies may be released by its guard, once and at any time; whoever is new writes a mark."""
    rest: Wish = ()
    """What was wished for and has come true before anything else happens; empty: nothing was."""
    wanted: tuple[Wish, ...] = ()
    """What may be wished for; empty: anything."""
    reborn: bool = True
    """Whether who dies may come back."""
    lives: bool = False
    """Members read the releases in order, and so learn which lives there are, and name them; who is
    new is not known to the controller before it reads its join."""
    away: bool = False
    """The controller is away while there is trouble; it is back when there is none any more."""
    memory: Memory = Memory.CHECKPOINT
    """What a controller that takes over remembers."""
    patience: Patience = Patience.ENDED
    """How long it waits for the older one."""
    lenient: bool = False
    """Who has not read all that it was told may work beside another."""

    @property
    def standing(self) -> bool:
        """Whether a queue at rest has an heir."""
        return self.policy.standing_heirs

    @property
    def newest(self) -> bool:
        """Whether a beat shows what its member has read by now."""
        return self.standing or bool(self.trouble.takeovers)

    @property
    def overlapping(self) -> bool:
        """Whether a life may be given up that still works, and has not read of it."""
        twins = self.trouble.twins and self.policy.on_twin is not TwinRule.REFUSE_NEWER
        return bool(twins or self.trouble.surges)


def guarded(
    members: int,
    rest: Wish,
    trouble: Trouble,
    *,
    wanted: tuple[Wish, ...] = (),
    reborn: bool = True,
) -> Scope:
    """Return a scope at rest, in which queues have standing heirs and members have guards."""
    scope = Scope(members, len(rest), trouble, policy=STANDING, guards=True)
    return scope._replace(rest=rest, wanted=wanted, reborn=reborn)


class World(NamedTuple):
    """Everything that the next step may depend on."""

    controller: int
    views: tuple[View, ...]
    log: tuple[Release | Mark, ...]
    """First releases, and marks, that the controller has not read, in order."""
    heard: frozenset[Release]
    """Releases that the controller has read and somebody may still wait for."""
    released: frozenset[Grant]
    """Grants of which a release stands in the log; the first one counts."""
    wish: Wish
    tokens: tuple[int, ...]
    """By queue, the largest epoch that anybody has worked under."""
    trouble: Trouble
    guards: frozenset[Release | Mark] = frozenset()
    """What the guards of the dead may still write."""
    late: frozenset[Release] = frozenset()
    """Later releases of grants whose first one somebody has missed."""
    away: bool = False
    """Whether the controller reads and decides nothing: it is away, or has only said that it
    starts."""
    in_order: bool = False
    """Whether members read the releases in order (``following``)."""
    older: Older | None = None
    """The controller that this one takes the place of, if it may still be there."""
    published: Published | None = None
    """What another one would find that starts; None: none will."""
    found: Published | None = None
    """What one has found that has not decided anything yet, if it was in haste."""


Step = tuple[str, World]


def with_view(
    world: World, place: int, view: View, released: tuple[Release | Mark, ...] = ()
) -> World:
    """Return the world after a move of a process."""
    tokens = tuple(
        max(token, duty.epoch) if duty.state == WORKING else token
        for token, duty in zip(world.tokens, view.duties, strict=True)
    )
    views = (*world.views[:place], view, *world.views[place + 1 :])
    return forgetful(logged(world._replace(views=views, tokens=tokens), released))


def posted(world: World, told: Told) -> World:
    """Return the world after a member's record was written."""
    views = tuple(
        view._replace(unread=(*view.unread, told.record))
        if view.alive and view.me == told.member
        else view
        for view in world.views
    )
    published = world.published and world.published.with_record(told)
    return world._replace(views=views, published=published)


def logged(world: World, said: Iterable[Release | Mark]) -> World:
    """Return the world after releases were written; later ones of a grant change nothing."""
    if world.in_order:
        return following.written(world, said)
    for release in said:
        assert isinstance(release, Release), "who goes says so only where that is read"
        if release.grant not in world.released:
            released = world.released | {release.grant}
            world = world._replace(log=(*world.log, release), released=released)
        elif any(release.grant in view.missed for view in world.views):
            world = world._replace(late=world.late | {release})
    return world


def begun(world: World, place: int) -> World:
    """Return the world in which a view reads from here on: what stands in the log it has missed."""
    if world.in_order:
        return following.begun(world, place)
    missed = frozenset(each.grant for each in world.log if isinstance(each, Release))
    view = world.views[place]._replace(missed=missed)
    mark = Mark(view.me, view.life)
    views = (*world.views[:place], view, *world.views[place + 1 :])
    return world._replace(views=views, log=(*world.log, mark))


def marked(world: World, mark: Mark) -> World:
    """Return the world in which the controller has read a mark, and all that its life missed."""
    if world.in_order:
        return world  # it has never read them
    whole = frozenset[Grant]()
    return world._replace(
        views=tuple(
            view._replace(missed=whole) if (view.me, view.life) == mark[:2] else view
            for view in world.views
        )
    )


def forgetful(world: World) -> World:
    """Forget the releases that nobody can be waiting for: worlds that differ by them are equal."""
    if world.heard and world.older is None:  # it may name some of them once more
        awaited = {source for view in world.views for source in views.sources(view)}
        world = world._replace(heard=world.heard & awaited)
    if (world.guards or world.late) and not world.in_order:
        missed = {claim for view in world.views for claim in view.missed}
        unread = {each.grant for each in world.log if isinstance(each, Release)}
        said = {it for it in world.guards if isinstance(it, Release)}
        news = {it for it in said if it.grant in missed | unread or _is_first(world, it)}
        late = {it for it in world.late if it.grant in missed}
        world = world._replace(guards=frozenset(news), late=frozenset(late))
    return world


def _is_first(world: World, release: Release) -> bool:
    return release.grant not in world.released


def names_the_unborn(world: World) -> bool:
    """Tell whether a release that somebody has still to read names a life without a mark.

    Of a life that was told that its name is another's it is not known any more which it was.
    """
    youngest: dict[int, int] = {}
    for view in world.views:
        if not view.over:
            youngest[view.me] = max(view.life, youngest.get(view.me, 0))
    unread = [*world.log, *(record for view in world.views for record in view.ahead)]
    named = (record.to for record in unread if isinstance(record, Release))
    return any(to is not None and youngest.get(to[0], to[1]) < to[1] for to in named)
