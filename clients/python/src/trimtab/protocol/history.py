"""Topic `history`, keyed by group or cluster: what happened and why, kept long.

One record for each rebalance, change of a member, hand-over of queues, first grant, conflict of
twins, held eviction, refused claim, topic without room, suspected double client, command's answer,
end of a pause, failure, and verdict on a broker.
"""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from trimtab.protocol import limits
from trimtab.protocol.brokers import Verdict
from trimtab.protocol.cause import Cause
from trimtab.protocol.names import GroupName, Incarnation, Label, MemberName, Text, Token, TopicName
from trimtab.protocol.passages import Granted, Handover
from trimtab.protocol.quantities import Count, Epoch, Timestamp
from trimtab.protocol.queues import Queues
from trimtab.protocol.record import Record, example

_CAUSE: JsonValue = {"kind": "join", "subject": "worker-2"}


class RebalanceDone(Record):
    """A new target was computed and set in motion."""

    model_config = example(
        kind="rebalance",
        group="billing",
        epoch_before=3,
        epoch_after=4,
        cause=_CAUSE,
        moves=8,
        members=2,
        queues=16,
        at_ms=1_767_225_600_000,
    )

    kind: Literal["rebalance"] = "rebalance"
    group: GroupName
    epoch_before: Epoch
    epoch_after: Epoch
    cause: Cause
    moves: Count = Field(description="Queues that change hands.")
    members: Count
    queues: Count
    at_ms: Timestamp


class MemberChanged(Record):
    """A member came, went or is going."""

    model_config = example(
        kind="member",
        group="billing",
        member="worker-2",
        incarnation="1767225600000-9f86d081",
        event="joined",
        at_ms=1_767_225_600_000,
        cause=_CAUSE,
    )

    kind: Literal["member"] = "member"
    group: GroupName
    member: MemberName
    incarnation: Incarnation
    event: Literal["joined", "rejoined", "draining", "left", "expired", "fenced", "away", "rested"]
    at_ms: Timestamp
    cause: Cause
    resting_until_ms: Timestamp | None = Field(
        default=None,
        description="It comes and goes too often, and gets no queues until then.",
    )


class Conflict(Record):
    """Two lives claimed one member's id, or one instance."""

    model_config = example(
        kind="conflict",
        group="billing",
        older="worker-2",
        older_incarnation="1767225600000-9f86d081",
        newer="worker-2",
        newer_incarnation="1767225660000-60303ae2",
        rule="fence-older",
        at_ms=1_767_225_660_000,
        cause=_CAUSE,
    )

    kind: Literal["conflict"] = "conflict"
    group: GroupName
    older: MemberName
    older_incarnation: Incarnation
    newer: MemberName
    newer_incarnation: Incarnation
    rule: Literal["fence-older", "refuse-newer", "separate", "hand-over"]
    at_ms: Timestamp
    cause: Cause


class Hold(Record):
    """So many members are silent at once that they are not evicted yet."""

    model_config = example(
        kind="hold",
        group="billing",
        members=["worker-1", "worker-2", "worker-3"],
        silent=3,
        at_ms=1_767_225_600_000,
        cause={"kind": "expiry", "subject": "worker-1", "detail": "3 of 4 are silent"},
    )

    kind: Literal["hold"] = "hold"
    group: GroupName
    members: Annotated[
        tuple[MemberName, ...], Field(max_length=limits.MEMBERS_PER_SUMMARY, fail_fast=True)
    ] = Field(description="Those that would have been evicted now, the first thousand of them.")
    silent: Count = Field(description="How many look dead, they and others.")
    at_ms: Timestamp
    cause: Cause


class Claim(Record):
    """A member that knows its assignment works on queues that it does not name."""

    model_config = example(
        kind="claim",
        group="billing",
        member="worker-2",
        incarnation="1767225600000-9f86d081",
        queues=[{"topic": "orders", "queues": [7]}],
        at_ms=1_767_225_600_000,
        cause={"kind": "claim", "subject": "worker-2"},
    )

    kind: Literal["claim"] = "claim"
    group: GroupName
    member: MemberName
    incarnation: Incarnation
    queues: Queues
    at_ms: Timestamp
    cause: Cause


class LeftOut(Record):
    """A group has no room for queues of a topic, and no member works on them."""

    model_config = example(
        kind="left_out",
        group="billing",
        topic="orders",
        queues=5_000,
        at_ms=1_767_225_600_000,
        cause={
            "kind": "route",
            "subject": "orders",
            "detail": "orders: the group would have 15000 queues; the limit is 10000",
        },
    )

    kind: Literal["left_out"] = "left_out"
    group: GroupName
    topic: TopicName
    queues: Count = Field(description="How many of the topic's queues there is no room for.")
    at_ms: Timestamp
    cause: Cause


class Doubled(Record):
    """Two processes seem to be one RocketMQ client, and so one member: both do the same work."""

    model_config = example(
        kind="doubled",
        group="billing",
        member="10.0.0.1@DEFAULT",
        sign="cadence",
        detail="as many heartbeats as 2 processes send: give each process its own instanceName, "
        "so that each is a member (or heartbeatBrokerInterval is short)",
        at_ms=1_767_225_600_000,
        cause={"kind": "subscription", "subject": "10.0.0.1@DEFAULT"},
    )

    kind: Literal["doubled"] = "doubled"
    group: GroupName
    member: MemberName
    sign: Literal["cadence", "subscriptions", "channels"] = Field(
        description="Heartbeats of several clocks, two subscriptions or sets of groups by turns, "
        "or two channels by turns at one broker."
    )
    detail: Text
    at_ms: Timestamp
    cause: Cause


class CommandAnswer(Record):
    """What became of an operator's command."""

    model_config = example(
        kind="command",
        group="billing",
        id="c-20260101-1",
        command="pause",
        principal="ann",
        reason="maintenance of rack 3",
        outcome="done",
        epoch=4,
        at_ms=1_767_225_600_000,
        cause={"kind": "command", "subject": "c-20260101-1"},
    )

    kind: Literal["command"] = "command"
    group: GroupName = Field(description="The group or the cluster.")
    id: Token
    command: Token
    principal: Label
    reason: Text
    outcome: Literal["done", "conflict", "refused"]
    detail: Text | None = None
    epoch: Epoch | None = Field(
        default=None,
        description="The group's epoch when the command was read; absent for commands to a cluster "
        "and for commands that could not be used.",
    )
    at_ms: Timestamp
    cause: Cause


class PauseEnded(Record):
    """A pause is over because its time is. One that a command ends has that command's answer."""

    model_config = example(
        kind="pause_ended",
        group="billing",
        at_ms=1_767_225_600_000,
        cause={"kind": "command", "subject": "pause", "detail": "its time is over"},
    )

    kind: Literal["pause_ended"] = "pause_ended"
    group: GroupName
    at_ms: Timestamp
    cause: Cause


class Ailment(Record):
    """Something could not be done for a group, or for a cluster: what stands published stays.

    It is tried again at the next change, or by a command; without a reason all is well again.
    """

    model_config = example(
        kind="ailment",
        subject="billing",
        reason="ValueError: no rack is called north",
        at_ms=1_767_225_600_000,
        cause={"kind": "ailment", "subject": "billing"},
    )

    kind: Literal["ailment"] = "ailment"
    subject: GroupName = Field(description="The group or the cluster.")
    reason: Text | None = None
    at_ms: Timestamp
    cause: Cause


HistoryRecord = (
    RebalanceDone
    | MemberChanged
    | Handover
    | Granted
    | Conflict
    | Hold
    | Claim
    | LeftOut
    | Doubled
    | CommandAnswer
    | PauseEnded
    | Ailment
    | Verdict
)
