"""Topic `controllers`, keyed by the controller's name, compacted: how a controller is doing.

One record every few seconds, for people, dashboards and those who have only Kafka. Written by the
controller. When it was written, the broker's time of the record says. An operator asks a standby to
take over by a record under its name. Its one rule: nothing about groups or brokers is decided by
it.
"""

from typing import Literal

from pydantic import Field

from trimtab.protocol.names import Label, Text, TopicName
from trimtab.protocol.quantities import Count, Timestamp
from trimtab.protocol.record import Part, Record, example

Role = Literal["active", "standby", "ended"]


class BatchTimes(Part):
    """How long the batches took since the last record; without any batch nothing is said."""

    count: Count
    mean_ms: Count
    longest_ms: Count


class GroupTotals(Part):
    """All groups together. `unassigned`: queues without a holder."""

    groups: Count
    members: Count
    queues: Count
    unassigned: Count


class Controller(Record):
    """A controller at work. What is counted begins with its process."""

    model_config = example(
        kind="controller",
        controller="controller-1",
        role="active",
        version="0.1.0",
        start="1767312000000-0b5e55ed",
        batch=4711,
        times={"count": 6, "mean_ms": 182, "longest_ms": 264},
        lag={"heartbeats": 12, "members": 0},
        lag_ms=900,
        clocks=[1_767_312_004_000, 1_767_312_004_001],
        dead_letters=3,
        rebalances=17,
        moves=120,
        totals={"groups": 4, "members": 31, "queues": 256, "unassigned": 0},
        page="http://127.0.0.1:9404",
        failures=3,
    )

    kind: Literal["controller"] = "controller"
    controller: Label
    role: Role | None = Field(
        default=None,
        description="active: it decides. standby: it takes over when the active one is gone. "
        "ended: it decides no more. Absent: written by an older release.",
    )
    version: Label
    start: Label | None = Field(default=None, description="Which start of it; as in its ticks.")
    batch: Count | None = Field(
        default=None, description="The last batch that it committed; absent: none yet."
    )
    times: BatchTimes | None = None
    lag: dict[TopicName, Count] = Field(
        description="By topic, without the prefix: records that the last batch left unread."
    )
    lag_ms: Count | None = Field(
        default=None, description="How far the last batch is behind the newest tick in the log."
    )
    clocks: tuple[Timestamp | None, ...] = Field(
        description="By partition: the broker's time of the last tick that was read; null: none."
    )
    dead_letters: Count
    rebalances: Count
    moves: Count = Field(description="Queues whose target owner changed.")
    totals: GroupTotals
    page: Text | None = Field(default=None, description="Where it answers probes, if it does.")
    failures: Count | None = Field(
        default=None,
        description="How often its query has failed since its last batch, and since Kafka was the "
        "reason; absent: never.",
    )


class HandOver(Record):
    """An operator asks a standby to take over at once; its next status replaces this."""

    model_config = example(
        kind="hand_over",
        controller="controller-2",
        principal="ann",
        reason="upgrade of controller-1",
    )

    kind: Literal["hand_over"] = "hand_over"
    controller: Label = Field(description="The standby.")
    principal: Label
    reason: Text = Field(min_length=1)


ControllersRecord = Controller | HandOver
