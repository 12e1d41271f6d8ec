"""The state of one group: a value, replaced and never changed.

Three parts change at three speeds: beats (each second), ownership (each hand-over), and membership
with routes (each join). The codec stores the fast part apart from the slow one. ``membership``
changes the roster, ``target`` says who should own what, ``baton`` moves the ownership there.
``obeying``, ``rocketmq_clients``, ``flapping`` and ``twins`` change single members;
``adoption`` may replace everything, once.

Its one rule: whatever the brain needs to know about the past is here, or it is gone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rebalance.causes import Cause
from rebalance.groups.model.member import Departure, Flaps, Member, Pulse
from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.groups.model.ownership import Ownership
from rebalance.ids import (
    Epoch,
    GroupName,
    MemberId,
    Millis,
    Queue,
    TopicName,
)


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
