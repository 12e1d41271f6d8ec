"""What the explorer can say to the controller, in integers: one record each.

Small enough to be the key of a table: the controller is asked once for each of its states what it
makes of each of these.
"""

from typing import NamedTuple

from tests.laws.older import Memory, Published
from tests.laws.views import Claim, Life

NOBODY = -1

Wish = tuple[int, ...]
"""By queue, the instance whose member is to own it, or NOBODY."""


class Wished(NamedTuple):
    """The target changes."""

    wish: Wish


class Rejoined(NamedTuple):
    """A member joins, as this life of its, with this instance."""

    member: int
    life: int
    slot: int
    eager: bool = False
    marks: bool = False
    """It will show from where on it reads releases."""


class Gone(NamedTuple):
    """A member that is no more is removed, as it would be for its silence."""

    member: int
    life: int


class Away(NamedTuple):
    """A member goes and means to be back."""

    member: int
    life: int


class Silent(NamedTuple):
    """A life that is no member, and holds a queue, has not been heard for too long."""

    member: int
    life: int


class Booked(NamedTuple):
    """The controller reads a release."""

    member: int
    life: int
    queue: int
    epoch: int
    named: int
    to: Life | None = None
    own: bool = True


class Marked(NamedTuple):
    """The controller reads a life's mark: it has read every release that stands before."""

    member: int
    life: int


class Beat(NamedTuple):
    """The controller reads a full beat."""

    member: int
    life: int
    epoch: int
    owned: tuple[Claim, ...]
    newest: bool = False
    """It counts as a sign of life, and shows what its member has read by now."""


class Drained(NamedTuple):
    """An operator wants a member to have nothing."""

    member: int


class Paused(NamedTuple):
    """An operator wants nothing to move."""


class Resumed(NamedTuple):
    """An operator lets things move again."""


class Resized(NamedTuple):
    """The topic is seen with so many queues."""

    queues: int


class Passed(NamedTuple):
    """A batch brings nothing."""


class Elapsed(NamedTuple):
    """The grace of eager members has run out."""


class Started(NamedTuple):
    """Another controller starts, and reads what is published."""

    memory: Memory
    published: Published
    wish: Wish


Logged = Rejoined | Booked | Marked
"""What is in the log for every controller."""
Input = (
    Wished
    | Rejoined
    | Gone
    | Away
    | Silent
    | Booked
    | Marked
    | Beat
    | Drained
    | Paused
    | Resumed
    | Resized
    | Passed
    | Elapsed
    | Started
)
