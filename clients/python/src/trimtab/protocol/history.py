"""Topic `history`, keyed by group or cluster: what happened and why, kept long.

A record each for a rebalance, a change of a member, a hand-over of queues and a broker's verdict.
"""

from typing import Literal

from pydantic import Field, JsonValue

from trimtab.protocol.brokers import Verdict
from trimtab.protocol.cause import Cause
from trimtab.protocol.names import GroupName, Incarnation, MemberName
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
    event: Literal["joined", "rejoined", "draining", "left", "expired", "fenced"]
    at_ms: Timestamp
    cause: Cause


class Handover(Record):
    """Queues went from one member to another, as one step of the group."""

    model_config = example(
        kind="handover",
        group="billing",
        from_member="worker-1",
        to_member="worker-2",
        queues=[["orders", "", 7], ["orders", "", 8]],
        duration_ms=130,
        ending="released",
        at_ms=1_767_225_600_130,
        cause=_CAUSE,
    )

    kind: Literal["handover"] = "handover"
    group: GroupName
    from_member: MemberName
    to_member: MemberName
    queues: Queues
    duration_ms: Count = Field(
        description="In log time, from the record that set it off to the end; of the slowest queue."
    )
    ending: Literal["released", "fenced", "left"]
    at_ms: Timestamp
    cause: Cause


HistoryRecord = RebalanceDone | MemberChanged | Handover | Verdict
