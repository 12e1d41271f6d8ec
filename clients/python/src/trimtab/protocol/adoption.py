"""What a starting controller writes about itself and its past, on topic `routes`, keyed by group.

It reads what is published and writes it into the log, because there every repetition of a batch
finds the same. `adopt` is one member's assignment without what only the member needs, so it fits
wherever the assignment fitted; `advance` is the epoch and time of the group's summary, what
operators have set, and who drains: their commands are not kept for ever, and some were refused. Of
several starts in the log the last one counts. An epoch that no group can have reached is refused,
because none would be left above it. `start`, keyed "$start", comes first, in every partition: an
earlier controller then ends. `told`, keyed "$told", comes before and after all that one start
tells, and nothing is decided in between.
"""

from itertools import chain
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from trimtab.protocol import limits
from trimtab.protocol.names import (
    CommonMode,
    Incarnation,
    Label,
    MemberName,
    Token,
    TopicName,
)
from trimtab.protocol.overrides import Overrides
from trimtab.protocol.quantities import EpochReached, Timeout, Timestamp
from trimtab.protocol.queues import Holdings, Inherits, name_each_once
from trimtab.protocol.record import Part, Record, example


class Start(Record):
    """A controller starts; one that reads it and started before gives way."""

    model_config = example(kind="start", controller="controller-1", start="1767312000000-0b5e55ed")

    kind: Literal["start"] = "start"
    controller: Label
    start: Incarnation


class Told(Record):
    """What stands published is told from here on, or all of it has been."""

    model_config = example(
        kind="told",
        controller="controller-1",
        start="1767312000000-0b5e55ed",
        whole=True,
        counts=[120, 131],
    )

    kind: Literal["told"] = "told"
    controller: Label
    start: Incarnation
    whole: bool = Field(description="Whether that was all; nothing is decided before it is.")
    counts: (
        Annotated[
            tuple[Annotated[int, Field(ge=0)], ...],
            Field(max_length=limits.CELLS_PER_PARTITION),
        ]
        | None
    ) = Field(
        default=None,
        description="How many `adopt` and `advance` stand between the two, by cell.",
    )


class _Found(Record):
    """What both say."""

    start: Incarnation = Field(description="The start of the controller that tells it.")
    epoch: EpochReached
    of: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many records this start has for the group."
    )


class Adopt(_Found):
    """This is what a member was told last. It counts if the group's epoch is behind it."""

    model_config = example(
        kind="adopt",
        start="1767312000000-0b5e55ed",
        member="worker-2",
        incarnation="1767225600000-9f86d081",
        epoch=4,
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
    )

    kind: Literal["adopt"] = "adopt"
    member: MemberName
    incarnation: Incarnation
    hold: Holdings
    give: Holdings
    inherit: Inherits
    revocation_timeout_ms: Timeout
    session_timeout_ms: Timeout
    mode: CommonMode | None = None
    shared: Holdings | None = None

    @model_validator(mode="after")
    def _one_order_a_queue(self) -> Self:
        name_each_once(chain(self.hold, self.give, self.inherit))
        return self

    @model_validator(mode="after")
    def _nothing_from_the_future(self) -> Self:
        granted = [row.epoch for row in chain(self.hold, self.give)]
        granted += [row.epoch for row in self.inherit]
        if max(granted, default=0) > self.epoch:
            raise PydanticCustomError("later_grant", "A grant is later than its record")
        return self


class Settings(Part):
    """What operators have set for a group, as its summary says."""

    paused: Literal[True] | None = None
    paused_until_ms: Timestamp | None = None
    own_strategy: Token | None = None
    overrides: Overrides | None = None
    popped: Annotated[tuple[TopicName, ...], Field(max_length=limits.TOPICS_PER_MEMBER)] = Field(
        default=(), description="Topics whose queues RocketMQ's clients share by a command."
    )


class Advance(_Found):
    """This is where a group stood last. It counts if the group's epoch is behind it."""

    model_config = example(
        kind="advance",
        start="1767312000000-0b5e55ed",
        epoch=4,
        decided_ms=1_767_225_600_000,
        settings={"own_strategy": "AVG_BY_CIRCLE"},
        draining=["worker-3"],
    )

    kind: Literal["advance"] = "advance"
    decided_ms: Timestamp = Field(description="Append time of the last record known by then.")
    settings: Settings | None = Field(
        default=None, description="What operators had set for it by then; absent: nothing."
    )
    draining: (
        Annotated[
            tuple[MemberName, ...], Field(max_length=limits.MEMBERS_PER_SUMMARY, fail_fast=True)
        ]
        | None
    ) = Field(default=None, description="Its members that drained by then; absent: not known.")
