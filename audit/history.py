"""What an auditor is shown: one entry for each record that was heard or published.

Neutral on purpose: plain strings and numbers, neither the brain's types nor the wire's, so that a
mistake in either is not repeated here. ``wire`` makes entries of recorded topics, the simulation
makes them of what it sees.

Its one rule: an entry says what happened and where it is written, and judges nothing.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

Queue = tuple[str, str, int]
"""Topic, broker, number."""


class Life(NamedTuple):
    """One life of one member."""

    member: str
    incarnation: str

    @property
    def own_name(self) -> str:
        """What the controller calls it where lives of one name are told apart."""
        return f"{self.member}@{self.incarnation}"


class Place(NamedTuple):
    """Where a record is written, and when its broker took it."""

    topic: str
    partition: int
    offset: int
    appended_ms: int = 0

    def __str__(self) -> str:
        """Write the place as people look it up."""
        return f"{self.topic}/{self.partition}@{self.offset}"


class Grant(NamedTuple):
    """A queue under the epoch of its grant, which is its fencing token."""

    queue: Queue
    epoch: int


class Tenure(NamedTuple):
    """One life's grant of a queue that is known from elsewhere."""

    life: Life
    epoch: int


class Naming(NamedTuple):
    """A grant that is over, and the one that begins; None: nobody's."""

    queue: Queue
    epoch: int
    next: int | None = None
    to: Life | None = None
    """Whose that is; None: that of whoever was promised it."""


class Inheritance(NamedTuple):
    """A queue that may be started on when ``source`` has released it under ``source_epoch``."""

    queue: Queue
    epoch: int
    source: Life
    source_epoch: int


# -- what was heard


@dataclass(frozen=True, slots=True)
class Joined:
    """A member announced itself or its wishes."""

    at: Place
    group: str
    life: Life
    sequence: int
    topics: frozenset[str]
    weight: int = 1
    capacity: int | None = None
    patterns: frozenset[str] = frozenset()
    """What it asks for beside the topics that it names (``patterns``)."""
    eager: bool = False
    """It lets go at once what its assignment does not name, and says nothing."""
    broadcasting: bool = False
    """It works on everything, like others of its kind."""
    sharing: bool = False
    """It works on some, together with others."""


@dataclass(frozen=True, slots=True)
class BeatSeen:
    """A member was still there; ``owned`` None says "as before"."""

    at: Place
    group: str
    life: Life
    sequence: int
    epoch: int
    owned: tuple[Grant, ...] | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """A life is done with queues; each naming says who is next."""

    at: Place
    group: str
    life: Life
    namings: tuple[Naming, ...]


@dataclass(frozen=True, slots=True)
class DrainAsked:
    """A member wants to go and works on until it has heirs."""

    at: Place
    group: str
    life: Life
    sequence: int


@dataclass(frozen=True, slots=True)
class Left:
    """A member has stopped and is gone, perhaps to come back."""

    at: Place
    group: str
    life: Life
    sequence: int


@dataclass(frozen=True, slots=True)
class Commanded:
    """An operator gave a command of a group."""

    at: Place
    group: str
    verb: str


@dataclass(frozen=True, slots=True)
class Ticked:
    """A record of a heartbeat partition that tells the time, and of which controller it is."""

    at: Place
    start: str = ""
    """Which start of a controller it is of; empty: it does not say."""
    number: int = 0
    seen: int | None = None
    """The last one that had been read, and acted upon, when it was written."""


@dataclass(frozen=True, slots=True)
class Routed:
    """The watcher saw the queues of a topic; none: there is no such topic."""

    at: Place
    group: str
    topic: str
    version: int
    queues: tuple[Queue, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """A controller began anew, from whatever it remembered, and took note of what was published."""

    at: Place
    group: str
    start: str = ""
    """Which start; empty: it does not say."""


# -- what was published


@dataclass(frozen=True, slots=True)
class Issued:
    """A member's assignment."""

    at: Place
    group: str
    life: Life
    epoch: int
    hold: tuple[Grant, ...]
    give: tuple[Grant, ...]
    inherit: tuple[Inheritance, ...]
    session_timeout_ms: int
    content: Hashable
    """The bytes, or whatever is equal exactly when the bytes are."""
    unheard: bool = False
    """It is asked to join again: what it wishes is not known to the controller."""
    common: bool = False
    """It broadcasts or shares, and so owns nothing."""
    apart: bool = False
    """Its key is that of one life only: twins are told apart, and all of them may go on."""
    heartbeat_interval_ms: int = 0
    heirs: tuple[int | None, ...] = ()
    """Of what it holds and gives: the grant that comes next."""
    unnamed: int = 0
    """So many more queues to inherit the record had no room for."""
    shared: tuple[Grant, ...] = ()
    """What it works on together with others, beside what it owns."""
    cause: str = ""
    """What kind of event it says that it is for."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A member's assignment was withdrawn: the group does not know it."""

    at: Place
    group: str
    member: str


@dataclass(frozen=True, slots=True)
class Removed:
    """The history says that a life ended: ``how`` is expired, overdue, fenced or left.

    Overdue is who was fenced for a queue that it kept for too long.
    """

    at: Place
    group: str
    life: Life
    how: str
    cause: Place
    """The record that proved it; its time is not known."""


@dataclass(frozen=True, slots=True)
class Summarised:
    """The group as published for people."""

    at: Place
    group: str
    epoch: int
    state: str
    content: Hashable
    apart: frozenset[str] = frozenset()
    """Members that are there and take no part: draining, away, held or resting."""
    settled: bool = True
    """The target is that of the group as it is, and nobody waits: for the end of a pause, or for
    one that is away, whose queues stay with the members that work on them."""
    own_blast: tuple[int | None, int | None, int | None] = (None, None, None)
    """When the group doubts silence, as far as that is its own: members, percent, hold."""
    people: tuple[tuple[str, tuple[int, int, int]], ...] = ()
    """Its members, and how much it says that each holds, gives and inherits."""
    left_out: frozenset[str] = frozenset()
    """Topics that it has no room for, or not for all of their queues."""
    popped: frozenset[str] = frozenset()
    """Topics whose queues its eager members share, by a command."""


@dataclass(frozen=True, slots=True)
class Held:
    """So many members were silent at once that these were not removed."""

    at: Place
    group: str
    members: frozenset[str]


@dataclass(frozen=True, slots=True)
class Effaced:
    """The last summary of a group was taken back: its epochs are not known any more."""

    at: Place
    group: str


Heard = Joined | BeatSeen | Released | DrainAsked | Left | Commanded | Ticked | Routed | Started
Published = Issued | Withdrawn | Removed | Summarised | Held | Effaced
Entry = Heard | Published
