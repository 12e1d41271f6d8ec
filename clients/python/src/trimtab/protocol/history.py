"""Topic `history`, keyed by group or cluster: what happened and why, kept long.

A record each for a rebalance, a change of a member, a hand-over of a queue and a broker's verdict.
"""

from typing import Literal

from pydantic import Field, JsonValue

from trimtab.protocol.brokers import Verdict
from trimtab.protocol.cause import Cause
from trimtab.protocol.names import GroupName, Incarnation, MemberName
from trimtab.protocol.quantities import Count, Epoch, Timestamp
from trimtab.protocol.queues import Queue
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
    """A member came or went."""

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
    event: Literal["joined", "rejoined", "drained", "left", "expired", "fenced"]
    at_ms: Timestamp
    cause: Cause


class Handover(Record):
    """A queue went from one member to another."""

    model_config = example(
        kind="handover",
        group="billing",
        queue=["orders", "", 7],
        from_member="worker-1",
        to_member="worker-2",
        epoch=4,
        started_at_ms=1_767_225_600_000,
        ended_at_ms=1_767_225_600_130,
        ending="released",
        cause=_CAUSE,
    )

    kind: Literal["handover"] = "handover"
    group: GroupName
    queue: Queue
    from_member: MemberName
    to_member: MemberName
    epoch: Epoch = Field(description="The heir's.")
    started_at_ms: Timestamp
    ended_at_ms: Timestamp
    ending: Literal["released", "fenced", "left"]
    cause: Cause


HistoryRecord = RebalanceDone | MemberChanged | Handover | Verdict
