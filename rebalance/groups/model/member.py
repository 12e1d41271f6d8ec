"""What is known of one member: what it said of itself, when it was heard, and its past.

Written by ``membership`` and by those of ``members`` that it asks; ``adoption`` writes all of it,
once.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from rebalance.groups.model.events import Mode
from rebalance.ids import (
    Epoch,
    Incarnation,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Pattern,
    TopicName,
)


class Timeouts(Protocol):
    """How long a member may be silent, and how long it may keep a queue after "give"."""

    @property
    def session_timeout_ms(self) -> Millis:
        """Between two of its records."""

    @property
    def revocation_timeout_ms(self) -> Millis:
        """Since it can know that it must let go."""


Saying = tuple[frozenset[TopicName], Mode, int]
"""What a RocketMQ client says: topics, as which kind of member, and a hash of all its groups."""


@dataclass(frozen=True, slots=True)
class Doubled:
    """What looks as if two processes were one RocketMQ client (``doubles``)."""

    beats: tuple[Millis, ...] = ()
    """When its last heartbeats came, as long as they come too soon after one another."""
    epoch: Epoch = Epoch(0)
    """The group epoch of those: a change makes clients send more of them."""
    said: Saying | None = None
    """What it said last; None: what it said as it joined, or too long ago."""
    before: Saying | None = None
    """What it said before that."""
    swaps: int = 0
    """How many times in a row the two, last and before, took each other's place."""
    swapped_at: Millis = Millis(0)
    """When they last did, on the log clock."""
    noted_at: Millis | None = None
    """When the history last named it, on the log clock; None: it did not."""


@dataclass(frozen=True, slots=True)
class Member:
    """What a member said of itself when it joined, and what was noted since. Changes rarely."""

    incarnation: Incarnation
    """Which of the member's lives this is. Another one is another ``Member``."""
    sequence: int
    """The highest number among its joins, drains and temporary leaves. Beats are counted apart
    (``Pulse``), because the two travel by different topics and overtake each other."""
    topics: frozenset[TopicName]
    """What it subscribes by name."""
    session_timeout_ms: Millis
    """It is dead after silence of this length. ``pace`` and ``as_patient_as`` make it longer."""
    revocation_timeout_ms: Millis
    """How long it may keep a queue once it can know that it must let it go."""
    instance: InstanceId | None = None
    """The name that outlives its restarts; None: it has none."""
    rack: str = ""
    """Where it runs; empty: it did not say."""
    weight: int = 1
    """How many queues it wants in proportion to others."""
    capacity: int | None = None
    """The most queues that it can take; None: it set no limit."""
    mode: Mode = Mode.CLUSTERING
    """Whether it owns queues, or works on them in common with others."""
    eager: bool = False
    """It knows no releases: what it is told takes effect at once (RocketMQ's own clients)."""
    since: Epoch = Epoch(0)
    """The epoch of its joining, in this life."""
    draining: bool = False
    """It asked to go: it keeps working but is left out of every new target."""
    dismissed: bool = False
    """It drains because an operator, or its successor, wants it to: nothing that this life says
    takes that back."""
    away: bool = False
    """It left and means to be back: it works on nothing, and its queues are kept for it."""
    resting_until: Millis | None = None
    """It came and went too often: it is left out of every target until then (``flapping``)."""
    challenger: Life | None = None
    """The last younger life that was refused in its favour (``twins``)."""
    patterns: frozenset[Pattern] = frozenset()
    """What it subscribes beside ``topics``; which topics those are, ``subscriptions`` says."""
    presumed: bool = False
    """It is asked to join again: it is known from its published record alone (``adoption``), or its
    mark is missing (``marks``)."""
    awaits_mark: bool = False
    """It follows the releases, and where it began to is not read yet (``endings``): who has not
    read the first release of a grant must not believe the second one."""
    groups_hash: int = 0
    """A hash of all the groups that a RocketMQ client is a member of; 0: it did not say."""
    doubled: Doubled | None = None
    """What looks as if it were two processes, if anything does (``doubles``)."""
    guarded: bool = False
    """It says that a guard releases for it when its process is dead. For people (``summary``)."""
    pops: frozenset[TopicName] = frozenset()
    """Of these it owns nothing, though it may subscribe them: an operator has its group share them
    (``ChooseMode``)."""
    leaves: bool = False
    """It is dismissed and has asked to go as well: it drains on when it is dismissed no more."""
    on_hold_alone: bool = False
    """It reads no releases: it begins when it is told to hold, and not before (``succession``)."""

    def life(self, name: MemberId) -> Life:
        """Return which life of that member this is; a roster knows its name."""
        return Life(name, self.incarnation)

    def as_patient_as(self, told: Timeouts) -> "Member":
        """Return it with timeouts no shorter than those it was told, because it counts by them.

        It trusts in its queues until a session that it knows of is over. Were ours shorter, another
        member would work beside it.
        """
        return replace(
            self,
            session_timeout_ms=max(self.session_timeout_ms, told.session_timeout_ms),
            revocation_timeout_ms=max(self.revocation_timeout_ms, told.revocation_timeout_ms),
        )

    @property
    def owns(self) -> bool:
        """Whether it owns what it works on; if not, that is of the ``commons``."""
        return self.mode is Mode.CLUSTERING


@dataclass(frozen=True, slots=True)
class Unread:
    """A member's last record, as long as no beat shows that it was read (``unread``)."""

    epoch: Epoch
    since: Millis | None = None
    """From when on it can have been read; None: no later step has shown yet that it is out."""
    times: int = 0
    """How often the member was told again since it last showed that it reads."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """What every beat changes. Kept apart so that a beat rewrites nothing else."""

    seen: Millis
    """The log clock when the member last spoke. Expiry is measured from here."""
    sequence: int
    """The highest number among its beats; a beat with a lower one is late or repeated."""
    unread: Unread | None = None
    """Its last record, until a beat shows that it was read; None: one has."""


@dataclass(frozen=True, slots=True)
class Flaps:
    """How often a member went lately; halved with each half-life."""

    count: int
    """How often, as of ``since``."""
    since: Millis
    """From when on the next half-life counts."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A member's last life, and when and by which record it left for good."""

    incarnation: Incarnation
    """Which life it was; an older one has ended as well."""
    sequence: int
    """The number of its leave, in the series of its joins."""
    at: Millis
    """When it left, on the log clock."""
