"""Passages, entries of `history`: queues go from one member to another, or to their first one.

As the books have it: when a holder is known to be done, and who comes next. Written by the
controller, read by people.
"""

from typing import Final, Literal

from pydantic import Field, JsonValue

from trimtab.protocol.cause import Cause
from trimtab.protocol.names import GroupName, Incarnation, MemberName
from trimtab.protocol.quantities import Count, Epoch, Timestamp
from trimtab.protocol.queues import Queues
from trimtab.protocol.record import Record, example

_CAUSE: Final[JsonValue] = {"kind": "join", "subject": "worker-2"}


class Handover(Record):
    """Queues went from one member to another, as one step of the group."""

    model_config = example(
        kind="handover",
        group="billing",
        from_member="worker-1",
        to_member="worker-2",
        queues=[{"topic": "orders", "queues": [7, 8]}],
        duration_ms=130,
        idle_ms=0,
        epoch=5,
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
        description="In log time, from telling the holder to its end; of the slowest queue. 0 if "
        "it ended without being told."
    )
    idle_ms: Count | None = Field(
        default=None,
        description="In log time, how long nobody worked on the slowest queue, at most: from the "
        "last sign of the holder's work to the record on which the next one begins. Absent: not "
        "known.",
    )
    epoch: Epoch | None = Field(
        default=None, description="Of the new holder's grants; also the token of each queue."
    )
    ending: Literal["released", "fenced", "left", "taken"]
    at_ms: Timestamp
    cause: Cause


class Granted(Record):
    """Queues that nobody had went to a member."""

    model_config = example(
        kind="grant",
        group="billing",
        member="worker-1",
        incarnation="1767225600000-9f86d081",
        epoch=1,
        queues=[{"topic": "orders", "queues": [7, 8]}],
        at_ms=1_767_225_600_000,
        cause=_CAUSE,
    )

    kind: Literal["grant"] = "grant"
    group: GroupName
    member: MemberName
    incarnation: Incarnation
    epoch: Epoch = Field(description="Of the grants; also the token of each queue.")
    queues: Queues
    at_ms: Timestamp
    cause: Cause
