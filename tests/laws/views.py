"""Views: what the explorer sees of one life of a member, as a small value of integers.

A view of a real session says everything that its next step may depend on while time stands still
(``members`` makes it). What takes time in a real member takes a step of its own here: between
"give" and its release it still works (``REVOKING``), and it may read only the latest of several
records. When, and whether, it hears of a release is the explorer's choice.

Everything is a tuple of small integers, so that a million of them can be hashed.
"""

from collections.abc import Iterator
from typing import NamedTuple

IDLE, WAITING, WORKING, REVOKING = range(4)

Claim = tuple[int, int]
"""A queue and the epoch it is claimed under."""

Life = tuple[int, int]
"""A member and which of its lives."""

Naming = tuple[int, int, int, Life | None]
"""A claim, and the epoch that comes next, 0 for none, and whose that is, if that is known."""

Grant = tuple[int, int, int, int]
"""A member, its life, a queue and an epoch. Two lives may be granted a queue under one epoch."""


class Mark(NamedTuple):
    """A record of that topic which releases nothing: from there on a life reads all."""

    member: int
    life: int
    gone: bool = False
    """It says that this life goes."""


class Release(NamedTuple):
    """One record of the topic that everybody follows."""

    member: int
    life: int
    queue: int
    epoch: int
    named: int = 0
    """The epoch that begins; 0: none."""
    to: Life | None = None
    """Whose that is; None: that of whoever was promised it."""
    own: bool = True
    """Its life says so itself."""
    gone: bool = False
    """This life goes."""

    @property
    def grant(self) -> Grant:
        """Return what it ends."""
        return self[:4]


class Inherit(NamedTuple):
    """One line of a record: a queue that starts on an exact release."""

    queue: int
    epoch: int
    source: Release


class Record(NamedTuple):
    """One assignment of one member."""

    life: int
    epoch: int
    hold: tuple[Naming, ...]
    give: tuple[Naming, ...]
    inherit: tuple[Inherit, ...]


class Duty(NamedTuple):
    """What a member does about one queue."""

    state: int = IDLE
    epoch: int = 0
    source: Release | None = None
    """The release that it waits for."""
    named: int = 0
    """Whom it would name, as it was last told."""
    to: Life | None = None
    """Whose that is."""
    origin: tuple[int, int, int] | None = None
    """The member, life and epoch that it has the queue from, while it is told of nobody."""


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
    unread: tuple[Record | None, ...] = ()
    """Its own records, oldest first; None withdraws it."""
    eager: bool = False
    """It knows no releases: it works on what its latest record says it holds, and nothing else."""
    slot: int = 0
    """Whose instance it has."""
    stopping: bool = False
    """It was asked to leave."""
    heedless: bool = False
    """It works on under a grant, and has heard that it was released."""
    missed: frozenset[Grant] = frozenset()
    """Grants whose first release stood in the log before it began to read, unread by others."""
    ahead: tuple[Release | Mark, ...] = ()
    """What it has still to read of the releases, if it reads them in order (``following``)."""
    firsts: frozenset[Release] = frozenset()
    """Of each grant the first release that it has read, if it remembers them."""
    lives: tuple[tuple[int, int, int], ...] = ()
    """By member, its youngest life that has shown a mark, and its youngest that has gone."""
    farewell: bool = False
    """It has said that it goes."""
    wronged: str = ""
    """What became of it that must not be, though it was named."""

    @property
    def over(self) -> bool:
        """Whether it was told that its name is another's: it never comes back."""
        return not self.life


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


def replaced(view: View) -> View:
    """Return the member when it knows that its name is another's."""
    return dead(view)._replace(life=0)


def newest(view: View) -> int:
    """Return up to which of its unread records a life may skip: it misses none that is newer."""
    *before, last = view.unread
    newer = [each for each in before if each is not None and last is not None]
    missed = any(last and each.epoch >= last.epoch and each != last for each in newer)
    return 0 if missed else len(before)


def known_to_itself(view: View) -> View:
    """Return what is seen of a session alone."""
    return view._replace(unread=(), missed=frozenset(), heedless=False, ahead=(), wronged="")


def alike(after: View, before: View) -> View:
    """Return a session's view with what else there was to know of it, if it still lives."""
    if not after.alive:
        return after
    missed, heedless = before.missed, before.heedless
    unread, ahead, wronged = before.unread, before.ahead, before.wronged
    return after._replace(
        unread=unread, missed=missed, heedless=heedless, ahead=ahead, wronged=wronged
    )


def at_work(view: View, said: Release) -> bool:
    """Tell whether a release ends what a life works on, or has not let go."""
    duty = view.duties[said.queue]
    mine = (view.me, view.life, duty.epoch) == (said.member, said.life, said.epoch)
    return mine and duty.state in (WORKING, REVOKING)


def guarded(view: View) -> frozenset[Release]:
    """Return what its guard releases when it is dead: what it worked on, or had not let go."""
    return frozenset(
        Release(view.me, view.life, queue, duty.epoch, duty.named)
        for queue, duty in enumerate(view.duties)
        if duty.state in (WORKING, REVOKING)
    )


def has_begun(view: View, said: Release) -> bool:
    """Tell whether a life works by a release that names it, or has done so, or knows of later."""
    if not view.alive or view.given[said.queue] >= said.named:
        return True
    duty = view.duties[said.queue]
    known = duty.epoch if duty.source is None else duty.source.epoch
    return known >= said.named


def called(view: View) -> str:
    """Name a life."""
    return f"m{view.me}" if view.life == 1 else f"m{view.me}:{view.life}"


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
    for record in view.unread:
        for line in record.inherit if record is not None else ():
            yield line.source
