"""The overview: the published summary of a group, as a value.

It fits one screen: who is in, who has how much, is it moving, since which epoch and why.
``summary`` writes it, ``decisions`` counts it among what the brain decides, and the shell publishes
it under the group's name (``sinks.groups``).
"""

from dataclasses import dataclass
from enum import StrEnum

from rebalance.causes import Cause
from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.ids import Epoch, GroupName, MemberId, Millis, Pattern, TopicName


class GroupPhase(StrEnum):
    """Where a group stands; computed from its state, never stored."""

    EMPTY = "empty"
    ASSIGNING = "assigning"
    RECONCILING = "reconciling"
    STARVED = "starved"
    """At rest, but some queues have no worker, while there are members."""
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """One subscribed topic; ``version`` 0 means that no route of it was seen yet."""

    topic: TopicName
    version: int
    queues: int
    exists: bool
    generation: str = ""
    """Which topic of that name; empty: unknown."""
    left_out: int = 0
    """How many more queues it has, for which the group has no room."""
    popped: bool = False
    """By a command, RocketMQ's clients share its queues."""


@dataclass(frozen=True, slots=True)
class MemberSummary:
    """One member's counts."""

    member: MemberId
    hold: int
    give: int
    inherit: int
    draining: bool
    heir_of: int = 0
    """Queues that do not move, and that it would take over at once."""
    away: bool = False
    """It left and means to be back; its queues are kept for it."""
    held: bool = False
    """It is silent, and its eviction is held."""
    resting: bool = False
    """It came and went too often, and gets no queues for a while."""
    standby: bool = False
    """There is nothing for it: more members than queues, or none that it may have."""
    guarded: bool = False
    """When its process is dead, its guard releases at once."""


@dataclass(frozen=True, slots=True)
class GroupSummarised:
    """The group as people want to see it."""

    group: GroupName
    phase: GroupPhase
    epoch: Epoch
    group_epoch: Epoch
    target_epoch: Epoch
    strategy: str
    assigned: int
    moving: int
    unassigned: int
    topics: tuple[TopicSummary, ...]
    population: int
    """How many members it has."""
    members: tuple[MemberSummary, ...]
    """As many of them as a person reads, first those that are not as most are (``summary``)."""
    at: Millis
    cause: Cause
    paused: bool = False
    paused_until: Millis | None = None
    """When the pause ends by itself, by the clock of people."""
    own_strategy: str | None = None
    """The strategy that a command has set; None: it has the policy's."""
    subscriptions: int = 1
    """How many different subscriptions its members have; RocketMQ's users should have one."""
    shortage: tuple[tuple[str, int], ...] = ()
    """Why queues could not be assigned, and how many, when the target was computed."""
    overrides: Overrides = NONE
    """The rules that it has of its own."""
    ailment: str = ""
    """Why something could not be done for it, and is not tried again before its next change."""
    patterns: tuple[Pattern, ...] = ()
    """What its members subscribe by pattern."""
    pace_ms: Millis = Millis(0)
    """How rarely its members were asked to beat; 0: as often as the policy says."""
