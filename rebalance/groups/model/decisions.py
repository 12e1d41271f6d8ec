"""What the brain decides: its only output.

Each decision is complete in itself, so that no reader ever needs two records to be consistent. The
shell turns decisions into records (``sinks``) and adds nothing; a replayed batch makes the same
decisions and so the same bytes.
"""

from dataclasses import dataclass
from enum import StrEnum

from rebalance.causes import Cause
from rebalance.groups.model.events import Mode, Portion
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import TwinRule
from rebalance.ids import (
    Epoch,
    GroupName,
    Life,
    MemberId,
    Millis,
    Naming,
    OfOneLife,
    Queue,
    TopicName,
)
from rebalance.stamp import Stamp


@dataclass(frozen=True, slots=True)
class AssignmentIssued(OfOneLife):
    """A member's new record."""

    group: GroupName
    life: Life
    epoch: Epoch
    target_epoch: Epoch
    portion: Portion
    session_timeout_ms: Millis
    revocation_timeout_ms: Millis
    heartbeat_interval_ms: Millis
    cause: Cause
    mode: Mode = Mode.CLUSTERING
    join_again: bool = False
    """Its join, or its mark, was not read: it should say both again."""


@dataclass(frozen=True, slots=True)
class Freed(OfOneLife):
    """A life is done with queues, and cannot say so itself; the first release in the log counts."""

    group: GroupName
    life: Life
    namings: tuple[Naming, ...]


@dataclass(frozen=True, slots=True)
class AssignmentWithdrawn:
    """The group does not know this member (any more): it must stop, and may join again."""

    group: GroupName
    member: MemberId


@dataclass(frozen=True, slots=True)
class Rebalanced:
    """A new target was computed."""

    group: GroupName
    epoch_before: Epoch
    epoch_after: Epoch
    moves: int
    """Queues whose target owner changed from one member to another."""
    members: int
    queues: int
    at: Millis
    cause: Cause


class MemberChange(StrEnum):
    """What became of a member."""

    JOINED = "joined"
    REJOINED = "rejoined"
    DRAINING = "draining"
    LEFT = "left"
    EXPIRED = "expired"
    FENCED = "fenced"
    AWAY = "away"
    RESTED = "rested"


@dataclass(frozen=True, slots=True)
class MemberChanged(OfOneLife):
    """A member came, went or is going."""

    group: GroupName
    life: Life
    change: MemberChange
    at: Millis
    cause: Cause
    resting_until: Millis | None = None
    """It comes and goes too often, and gets no queues until then (by the broker's clock)."""


class Ending(StrEnum):
    """How a holder's hold ended."""

    RELEASED = "released"
    LEFT = "left"
    FENCED = "fenced"
    TAKEN = "taken"
    """The holder knows no releases: it was told, and given a while."""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Queues passed from one member to another in one batch."""

    group: GroupName
    from_member: MemberId
    to_member: MemberId
    queues: tuple[Queue, ...]
    duration_ms: Millis
    """On the log clock, from telling the holder to its ending, for the slowest queue; 0 when
    it ended without being told."""
    idle_ms: Millis | None
    """At most how long nobody worked on the slowest queue, on the log clock; None: not known."""
    epoch: Epoch
    """Of the new holder's grants: the token that comes with each."""
    ending: Ending
    at: Millis
    cause: Cause


@dataclass(frozen=True, slots=True)
class Granted(OfOneLife):
    """Queues that nobody had went to a member."""

    group: GroupName
    life: Life
    epoch: Epoch
    """Of the grants: the token that comes with each."""
    queues: tuple[Queue, ...]
    at: Millis
    cause: Cause


@dataclass(frozen=True, slots=True)
class TwinsMet:
    """Two lives claim one name."""

    group: GroupName
    older: Life
    newer: Life
    rule: TwinRule
    at: Millis
    cause: Cause


@dataclass(frozen=True, slots=True)
class EvictionsHeld:
    """So many members are silent at once that they are not believed to be dead yet."""

    group: GroupName
    members: tuple[MemberId, ...]
    """Those that would have been evicted now."""
    silent: int
    """How many look dead, they and others."""
    at: Millis
    cause: Cause


@dataclass(frozen=True, slots=True)
class ClaimRefused(OfOneLife):
    """A member knows its assignment and works on other queues: it is mistaken, or we are."""

    group: GroupName
    life: Life
    queues: tuple[Queue, ...]
    at: Millis
    cause: Cause


@dataclass(frozen=True, slots=True)
class TopicLeftOut:
    """A group has no room for queues of a topic, so they have no worker."""

    group: GroupName
    topic: TopicName
    queues: int
    at: Millis
    cause: Cause


@dataclass(frozen=True, slots=True)
class GroupAiled:
    """Something could not be done for a group, or now it can: what was published stays."""

    group: GroupName
    reason: str
    """Empty: it works again."""
    at: Millis
    cause: Cause


@dataclass(frozen=True, slots=True)
class PauseEnded:
    """A pause is over because its time is; a command that ends one is answered."""

    group: GroupName
    at: Millis
    cause: Cause


class DoubleSign(StrEnum):
    """By what two processes under one client id were recognised."""

    CADENCE = "cadence"
    SUBSCRIPTIONS = "subscriptions"
    CHANNELS = "channels"


@dataclass(frozen=True, slots=True)
class ClientDoubled:
    """Two processes seem to be one RocketMQ client."""

    group: GroupName
    member: MemberId
    sign: DoubleSign
    detail: str
    """What to do, too."""
    at: Millis
    cause: Cause


class Outcome(StrEnum):
    """What became of a command."""

    DONE = "done"
    CONFLICT = "conflict"
    """The group has moved on since the epoch that the command was given in view of."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """A command was obeyed, or why not."""

    group: GroupName
    id: str
    verb: str
    principal: str
    reason: str
    outcome: Outcome
    detail: str
    epoch: Epoch
    """The group's epoch when the command was read."""
    at: Millis
    cause: Cause


class Refusal(StrEnum):
    """Why an event was turned away before any state grew."""

    TOO_MANY_MEMBERS = "too_many_members"
    TOO_MANY_PATTERNS = "too_many_patterns"
    TOO_MANY_QUEUES = "too_many_queues"
    ROUTES_CONTRADICT = "routes_contradict"


@dataclass(frozen=True, slots=True)
class EventRefused:
    """A well-formed event that the group cannot accept."""

    group: GroupName
    stamp: Stamp
    reason: Refusal
    detail: str


Decision = (
    AssignmentIssued
    | Freed
    | AssignmentWithdrawn
    | GroupSummarised
    | Rebalanced
    | MemberChanged
    | HandedOver
    | Granted
    | TwinsMet
    | EvictionsHeld
    | ClaimRefused
    | TopicLeftOut
    | ClientDoubled
    | CommandAnswered
    | GroupAiled
    | PauseEnded
    | EventRefused
)
