"""The state of one group: a value, replaced and never changed.

Three parts change at three speeds: beats (each second), ownership (each hand-over), and membership
with routes (each join). The codec stores the fast part apart from the slow one. ``membership``
changes the roster, ``target`` says who should own what, ``baton`` moves the ownership there.
``obeying``, ``rocketmq_clients``, ``flapping`` and ``twins`` change single members;
``adoption`` may replace everything, once.

Its one rule: whatever the brain needs to know about the past is here, or it is gone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from rebalance.causes import Cause
from rebalance.groups.model.events import Mode
from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.ids import (
    Epoch,
    GroupName,
    Incarnation,
    InstanceId,
    MemberId,
    Millis,
    Pattern,
    Queue,
    TopicName,
)


class Timeouts(Protocol):
    """For how long a member may be silent, and keep what it is to let go."""

    @property
    def session_timeout_ms(self) -> Millis:
        """Between two of its words."""

    @property
    def revocation_timeout_ms(self) -> Millis:
        """Since it can know that it is to let go."""


Saying = tuple[frozenset[TopicName], Mode, int]
"""What a RocketMQ client says: topics, as which kind of member, and a mark of all its groups."""


@dataclass(frozen=True, slots=True)
class Doubled:
    """What looks as if two processes were one RocketMQ client (``doubles``)."""

    beats: tuple[Millis, ...] = ()
    """When its last heartbeats came, as long as they come too soon after one another."""
    epoch: Epoch = Epoch(0)
    """The group epoch of those: a change makes clients send more of them."""
    said: Saying | None = None
    before: Saying | None = None
    swaps: int = 0
    """How many times in a row the two, last and before, took each other's place."""
    swapped_at: Millis = Millis(0)
    noted_at: Millis | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """What a member said of itself when it joined. Changes rarely."""

    incarnation: Incarnation
    sequence: int
    """The highest number among its joins, drains and temporary leaves. Beats are counted apart
    (``Pulse``), because the two travel by different topics and overtake each other."""
    topics: frozenset[TopicName]
    """What it subscribes by name."""
    session_timeout_ms: Millis
    revocation_timeout_ms: Millis
    instance: InstanceId | None = None
    rack: str = ""
    weight: int = 1
    capacity: int | None = None
    mode: Mode = Mode.CLUSTERING
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
    challenger: tuple[MemberId, Incarnation] | None = None
    """The last younger life that was refused in its favour (``twins``)."""
    patterns: frozenset[Pattern] = frozenset()
    """What it subscribes beside ``topics``; which topics those are, ``subscriptions`` says."""
    presumed: bool = False
    """Known from its published record alone (``adoption``): nobody has read how it joined."""
    company: int = 0
    """A mark of all the groups that a RocketMQ client is a member of; 0: it did not say."""
    doubled: Doubled | None = None

    def as_patient_as(self, told: Timeouts) -> "Member":
        """Return it with timeouts no shorter than it was told: by those it counts, while it lives.

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


@dataclass(frozen=True, slots=True)
class Route:
    """The queues of one topic as last observed."""

    version: int
    exists: bool
    queues: tuple[Queue, ...]
    generation: str = ""
    """Which topic of that name, if anybody could tell."""
    left_out: int = 0
    """How many more queues it has, for which the group has no room (``extent``)."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a topic is said to be like, and is not believed yet: it would lose queues."""

    route: Route
    since: Millis
    """When it was first said, on the log clock."""
    confirmed: bool = False
    """It was said again."""


@dataclass(frozen=True, slots=True)
class Flaps:
    """How often a member went lately; halved with each half-life."""

    count: int
    since: Millis
    """From when on the next half-life counts."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A member's last life, and when and by which record it left for good."""

    incarnation: Incarnation
    sequence: int
    at: Millis
    """On the log clock."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A grant's holder was told to let go: by which record, and when on the log clock."""

    epoch: Epoch
    at: Millis


@dataclass(frozen=True, slots=True)
class Grant:
    """A queue promised to one life of one member, under an epoch never used for it again."""

    member: MemberId
    incarnation: Incarnation
    epoch: Epoch
    asked: Asked | None = None
    """Set while the member is to let go (or, as an heir, never to start) and has not confirmed."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """The members that may be working on one queue: a holder and, during a hand-over, an heir.

    From the moment it is published an heir counts as a possible owner, because it starts on the
    holder's release without asking anybody. Invariant: holder and heir are different members.
    """

    holder: Grant
    heir: Grant | None = None

    @property
    def grants(self) -> tuple[Grant, ...]:
        """Return the holder's and, if there is one, the heir's."""
        return (self.holder,) if self.heir is None else (self.holder, self.heir)


@dataclass(frozen=True, slots=True)
class Ailment:
    """Why something could not be done for the group (``ailments``)."""

    reason: str
    tried: Epoch | None = None
    """For which ``group_epoch`` the strategy has failed; None: it was something else."""
    until: Millis | None = None
    """Until when, on the log clock, no queue is promised to anybody (``omissions``)."""


@dataclass(frozen=True, slots=True)
class GroupState:
    """Everything the brain knows of one group."""

    name: GroupName
    epoch: Epoch = Epoch(0)
    """The group's one counter. Each batch that decides something draws the next reading."""
    group_epoch: Epoch = Epoch(0)
    """When membership, subscriptions or routes last changed."""
    target_epoch: Epoch = Epoch(0)
    """The ``group_epoch`` that the target was computed for. Invariant: never greater than it."""
    members: Mapping[MemberId, Member] = field(default_factory=dict)
    pulses: Mapping[MemberId, Pulse] = field(default_factory=dict)
    """One for each member. Invariant: the same keys as ``members``."""
    routes: Mapping[TopicName, Route] = field(default_factory=dict)
    """What was observed of the topics that somebody subscribes, or did until lately."""
    target: Mapping[Queue, MemberId] = field(default_factory=dict)
    ownership: Mapping[Queue, Ownership] = field(default_factory=dict)
    loose: tuple[Queue, ...] = ()
    """Queues whose member in the target cannot be promised them as things are: it is away, or
    wishes something else by now. Looked at in each step, so that its return is not missed."""
    posted: Mapping[Epoch, Millis | None] = field(default_factory=dict)
    """When what each of its records asked for was surely out (``notice``)."""
    reasons: Mapping[Epoch, Cause] = field(default_factory=dict)
    """The cause of each record that a member still has to act on (``attribution``)."""
    shortage: Mapping[str, int] = field(default_factory=dict)
    """Why the strategy could not assign queues, and how many."""
    targeted_at: Millis | None = None
    """When the target was last computed, on the log clock."""
    doubts: Mapping[TopicName, Doubt] = field(default_factory=dict)
    held: Mapping[MemberId, Millis] = field(default_factory=dict)
    """Members whose eviction is held, and until when."""
    flaps: Mapping[str, Flaps] = field(default_factory=dict)
    """By instance or, without one, by member; present and gone."""
    departures: Mapping[MemberId, Departure] = field(default_factory=dict)
    """Who has left lately (``departures``)."""
    paused: bool = False
    paused_until: Millis | None = None
    """On the log clock; None: until a resume."""
    strategy: str | None = None
    """The group's own, by an operator's order; None: the policy's."""
    overrides: Overrides = NONE
    """Rules of its own, by an operator's order."""
    commands: tuple[str, ...] = ()
    """Ids of the last commands, so that none is obeyed twice."""
    cause: Cause | None = None
    """What last changed ``group_epoch``."""
    occasion: Cause | None = None
    """Why the present epoch was drawn, if it was noted; that need not be a change."""
    ailment: Ailment | None = None
    empty_since: Millis | None = None
    """Since when the group is empty, on the log clock; None: it is not, or all is dropped."""
    unposted: tuple[MemberId, ...] = ()
    """Members whose record of the last step is not known to be published yet."""
    deadline: Millis | None = None
    """No silence can decide anything before the clock reads this (a lower bound, so that a tick
    without a due deadline need not even decode the group); None when there is no deadline."""

    @classmethod
    def unknown(cls, name: GroupName, floor: Epoch) -> "GroupState":
        """Return a group of which nothing is known but how far epochs have got."""
        return cls(name, floor, group_epoch=floor, target_epoch=floor)

    @property
    def is_unknown(self) -> bool:
        """Tell whether nothing is known of it but its epoch; asked after each step."""
        return not self.members and self == GroupState.unknown(self.name, self.epoch)
