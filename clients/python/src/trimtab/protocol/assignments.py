"""Topic `assignments`, keyed by group/member, compacted: one member's assignment, complete.

All members of a group are in one partition (that of the group's name). A null value says that the
controller does not know the member: it is gone, or it must join again.
"""

from itertools import chain
from typing import Literal, Self

from pydantic import Field, model_validator

from trimtab.protocol.cause import Cause
from trimtab.protocol.names import CommonMode, GroupName, Incarnation, MemberName
from trimtab.protocol.quantities import Count, Epoch, Timeout
from trimtab.protocol.queues import Holdings, Inherits, name_each_once
from trimtab.protocol.record import Record, example


class Assignment(Record):
    """What to hold, what to give up and what to inherit. A queue it does not name is not yours."""

    model_config = example(
        kind="assignment",
        group="billing",
        member="worker-2",
        incarnation="1767225600000-9f86d081",
        epoch=4,
        target_epoch=4,
        hold={"queues": [{"topic": "orders", "queues": [[0, 2, None]]}]},
        give={
            "to": [["worker-3", "1767225601000-1c2d3e4f"]],
            "queues": [{"topic": "orders", "queues": [[1, 2, 4, 0]]}],
        },
        inherit={
            "from": [["worker-1", "1767225599000-0a1b2c3d"]],
            "queues": [{"topic": "orders", "queues": [[7, 4, 0, 3]]}],
        },
        revocation_timeout_ms=30_000,
        session_timeout_ms=10_000,
        heartbeat_interval_ms=2_000,
        cause={
            "kind": "join",
            "subject": "worker-2",
            "topic": "trimtab.members",
            "partition": 3,
            "offset": 90,
        },
    )

    kind: Literal["assignment"] = "assignment"
    group: GroupName
    member: MemberName
    incarnation: Incarnation = Field(description="The life this is for; others ignore it.")
    epoch: Epoch = Field(description="Of this record; a smaller or equal one is old news.")
    target_epoch: Epoch
    hold: Holdings = Field(description="Work on these; should you go, release each to its next.")
    give: Holdings = Field(description="Stop, and release each to its next.")
    inherit: Inherits = Field(
        description="Start on each on the release named, if that names your epoch."
    )
    revocation_timeout_ms: Timeout
    session_timeout_ms: Timeout
    heartbeat_interval_ms: Timeout
    cause: Cause
    mode: CommonMode | None = Field(
        default=None, description="Absent: the member owns what it works on."
    )
    join_again: Literal[True] | None = Field(
        default=None,
        description="The controller has not read how the member joined, or not its mark: repeat "
        "both.",
    )

    shared: Holdings | None = Field(
        default=None,
        description="Work on these together with others (RocketMQ's POP), and release none.",
    )
    unnamed: Count | None = Field(
        default=None,
        description="For so many more the record had no room. What the member inherits of them it "
        "is told to hold as soon as it is free.",
    )

    @model_validator(mode="after")
    def _one_order_a_queue(self) -> Self:
        name_each_once(chain(self.hold, self.give, self.inherit))
        return self
