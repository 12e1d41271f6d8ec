"""A member as the explorer sees it: a small value that follows its records and the releases.

It obeys the contract of the wire and nothing more: a queue that its record does not name is not
its own; an epoch that it was told to give is over for ever; an heir starts on the one exact
release. What takes time in a real member takes a step of its own here: between "give" and its
release it still works (``REVOKING``), and it may read only the latest of several records. When,
and whether, it hears of a release is the explorer's choice. An eager member knows no releases: it
works on what its latest record says it holds, and on nothing else.

Everything is a tuple of small integers, so that a million of them can be hashed.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

IDLE, WAITING, WORKING, REVOKING = range(4)

Claim = tuple[int, int]
"""A queue and the epoch it is claimed under."""


class Release(NamedTuple):
    """One record of the topic that everybody follows."""

    member: int
    life: int
    queue: int
    epoch: int


class Inherit(NamedTuple):
    """One line of a record: a queue that starts on an exact release."""

    queue: int
    epoch: int
    source: Release


class Orders(NamedTuple):
    """One record of one member, in integers."""

    life: int
    epoch: int
    hold: tuple[Claim, ...]
    give: tuple[Claim, ...]
    inherit: tuple[Inherit, ...]


class Duty(NamedTuple):
    """What a member does about one queue."""

    state: int = IDLE
    epoch: int = 0
    source: Release | None = None
    """The release that it waits for."""


class View(NamedTuple):
    """One life of one member: what it has read and what it does."""

    me: int
    """The member that it says it is; another process may say so too."""
    life: int
    alive: bool
    acted: int
    """The epoch of the last record it acted on; what its beats say."""
    duties: tuple[Duty, ...]
    given: tuple[int, ...]
    """By queue, the highest epoch it was told to give."""
    unread: tuple[Orders | None, ...] = ()
    """Its own records, oldest first; None withdraws it."""
    eager: bool = False
    slot: int = 0
    """Whose instance it has."""

    @property
    def over(self) -> bool:
        """Whether it was told that its name is another's: it never comes back."""
        return not self.life


class Move(NamedTuple):
    """One thing that a member may do next."""

    name: str
    view: View
    released: tuple[Release, ...] = ()


def newborn(me: int, life: int, queues: int, *, eager: bool = False) -> View:
    """Return a member that knows nothing yet."""
    idle, none = (Duty(),) * queues, (0,) * queues
    return View(me, life, alive=True, acted=0, duties=idle, given=none, eager=eager, slot=me)


def reborn(view: View, life: int) -> View:
    """Return another life of a member."""
    fresh = newborn(view.me, life, len(view.duties), eager=view.eager)
    return fresh._replace(slot=view.slot)


def dead(view: View) -> View:
    """Return the member after a crash."""
    return reborn(view, view.life)._replace(alive=False)


@cache
def moves(view: View) -> tuple[Move, ...]:
    """Everything that a living member may do next by itself: read a record, finish with a queue."""
    found = []
    for skipping in sorted({0, len(view.unread) - 1}) if view.unread else ():
        name = f"{called(view)} reads a record" + (f", skipping {skipping}" if skipping else "")
        found.append(Move(name, *_reads(view, skipping)))
    return (*found, *finishes(view))


def called(view: View) -> str:
    """Name a life."""
    return f"m{view.me}" if view.life == 1 else f"m{view.me}:{view.life}"


@cache
def finishes(view: View) -> tuple[Move, ...]:
    """The moves by which it stops working on a queue that it was told to give, and says so."""
    return tuple(
        Move(
            f"{called(view)} releases q{queue}",
            _with_duty(view, queue, Duty()),
            (Release(view.me, view.life, queue, duty.epoch),),
        )
        for queue, duty in enumerate(view.duties)
        if duty.state == REVOKING
    )


@cache
def starts(view: View) -> tuple[tuple[Release, Move], ...]:
    """The moves that a release allows: to hear of it and to start."""
    return tuple(
        (duty.source, Move(f"{called(view)} hears of the release of q{queue}", started))
        for queue, duty in enumerate(view.duties)
        if duty.source is not None
        for started in [_with_duty(view, queue, Duty(WORKING, duty.epoch))]
    )


def owned(view: View) -> tuple[Claim, ...]:
    """What its beats list: what it works on or has not yet let go."""
    return tuple(
        (queue, duty.epoch)
        for queue, duty in enumerate(view.duties)
        if duty.state in (WORKING, REVOKING)
    )


def sources(view: View) -> Iterator[Release]:
    """Everything that it waits for, or will wait for when it has read on."""
    for duty in view.duties:
        if duty.source is not None:
            yield duty.source
    for orders in view.unread:
        for line in orders.inherit if orders is not None else ():
            yield line.source


def _reads(view: View, skipping: int) -> tuple[View, tuple[Release, ...]]:
    """Act on the record after the ``skipping`` oldest unread; some grants are let go at once."""
    orders, unread = view.unread[skipping], view.unread[skipping + 1 :]
    if orders is None or orders.life > view.life:
        return dead(view)._replace(life=0), ()
    if orders.life < view.life:
        return view._replace(unread=unread), ()
    view = view._replace(unread=unread)
    return complies(view, orders) if view.eager else obeys(view, orders)


def complies(view: View, orders: Orders) -> tuple[View, tuple[Release, ...]]:
    """Do what an eager member does: the record takes effect at once, and nobody hears of it."""
    held = dict(orders.hold)
    duties = tuple(
        Duty(WORKING, held[queue]) if queue in held else Duty() for queue in range(len(view.duties))
    )
    return view._replace(acted=orders.epoch, duties=duties), ()


def obeys(view: View, orders: Orders) -> tuple[View, tuple[Release, ...]]:
    """Follow a record of this life: give, hold, inherit, and drop whatever is not named."""
    duties, given = _named_only(view.duties, orders), list(view.given)
    released = []
    for queue, epoch in orders.give:
        if epoch > given[queue]:
            given[queue] = epoch
            duties[queue], started = _gives(duties[queue], epoch)
            if not started:
                released.append(Release(view.me, view.life, queue, epoch))
    for queue, epoch in orders.hold:
        if epoch > given[queue]:
            duties[queue] = Duty(WORKING, epoch)
    for queue, epoch, source in orders.inherit:
        if epoch > given[queue] and duties[queue][:2] != (WORKING, epoch):
            duties[queue] = Duty(WAITING, epoch, source)
    after = view._replace(acted=orders.epoch, duties=tuple(duties), given=tuple(given))
    return after, tuple(released)


def _named_only(duties: tuple[Duty, ...], orders: Orders) -> list[Duty]:
    named = {claim[0] for claims in (orders.hold, orders.give, orders.inherit) for claim in claims}
    return [duty if queue in named else Duty() for queue, duty in enumerate(duties)]


def _gives(duty: Duty, epoch: int) -> tuple[Duty, bool]:
    """What "give" makes of a duty, and whether there is something to finish first."""
    started = duty[:2] == (WORKING, epoch)
    return (Duty(REVOKING, epoch) if started else Duty()), started


def _with_duty(view: View, queue: int, duty: Duty) -> View:
    return view._replace(duties=(*view.duties[:queue], duty, *view.duties[queue + 1 :]))
