"""Topic `members`, keyed by group: the urgent records. A member joins, drains, leaves.

It is a topic of its own so that joins and leaves never wait behind beats. Written by members, read
by the controller and its route watcher. A join says everything about the member, so the last one
read is all that counts.
"""

from functools import partial
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, JsonValue, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from trimtab.protocol import limits
from trimtab.protocol.names import Label, Pattern, TopicName
from trimtab.protocol.quantities import Count, Epoch, Timeout, Weight
from trimtab.protocol.record import MemberRecord, example

Protocol = Literal["cooperative", "eager"]
Mode = Literal["clustering", "broadcasting", "shared"]


def _distinct(what: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise PydanticCustomError("repeated_name", "A {what} is named twice", {"what": what})
    return names


_ONCE: Final[dict[str, JsonValue]] = {"uniqueItems": True}
Topics = Annotated[
    tuple[TopicName, ...],
    Field(max_length=limits.TOPICS_PER_MEMBER, fail_fast=True, json_schema_extra=_ONCE),
    AfterValidator(partial(_distinct, "topic")),
]
Patterns = Annotated[
    tuple[Pattern, ...],
    Field(
        min_length=1,
        max_length=limits.PATTERNS_PER_MEMBER,
        fail_fast=True,
        json_schema_extra=_ONCE,
    ),
    AfterValidator(partial(_distinct, "pattern")),
]
_SOMETHING: Final[dict[str, JsonValue]] = {
    "anyOf": [
        {"properties": {"topics": {"minItems": 1}}, "required": ["topics"]},
        {"properties": {"patterns": {"type": "array"}}, "required": ["patterns"]},
    ]
}


class Join(MemberRecord):
    """I want a share of these topics. Sent again (same incarnation) to change the subscription."""

    model_config = example(
        _SOMETHING,
        kind="join",
        member="worker-1",
        incarnation="1767225600000-9f86d081",
        sequence=1,
        topics=["orders"],
        session_timeout_ms=10_000,
        instance="worker-1",
    )

    kind: Literal["join"] = "join"
    patterns: Patterns | None = Field(
        default=None, description="By pattern, beside the topics named; one of both at least."
    )
    topics: Topics = Field(
        default=(),
        validate_default=True,
        description="Topics by name; a member waits for one that does not exist yet.",
    )
    session_timeout_ms: Timeout | None = Field(
        default=None,
        description="Silence after which the member is dead; absent: the controller's default.",
    )
    revocation_timeout_ms: Timeout | None = Field(
        default=None,
        description="Time the member has to release a queue; absent: the controller's default.",
    )
    instance: Label | None = Field(
        default=None,
        description="A name that survives restarts: a member that leaves may return under it.",
    )
    rack: Label | None = None
    weight: Weight = 1
    capacity: Count | None = Field(default=None, description="The most queues I can work on.")
    protocol: Protocol = Field(
        default="cooperative", description="eager: takes effect at once, releases nothing."
    )
    mode: Mode = "clustering"
    client: Label | None = Field(default=None, description="The library and its version.")
    last_epoch: Epoch | None = Field(
        default=None,
        description="Of the last record that an earlier incarnation of this process acted on, 0: "
        "it acted on none; absent in the first one alone. A life that got my name or instance "
        "after that has replaced me.",
    )
    marks: bool | None = Field(
        default=None,
        description="I follow the releases, and write one without queues to show from where on. "
        "Promise me nothing before you have read it.",
    )
    guarded: bool | None = Field(
        default=None,
        description="A guard releases for me when my process is dead. For people: it decides "
        "nothing.",
    )

    @field_validator("topics")
    @classmethod
    def _asks_for_something(cls, topics: Topics, info: ValidationInfo) -> Topics:
        if not topics and info.data.get("patterns") is None:
            raise PydanticCustomError("no_topics", "There are neither topics nor patterns")
        return topics


class Drain(MemberRecord):
    """I want to go: give my queues to others. I work on each until its heir takes over."""

    model_config = example(
        kind="drain", member="worker-1", incarnation="1767225600000-9f86d081", sequence=812
    )

    kind: Literal["drain"] = "drain"


class Leave(MemberRecord):
    """I have stopped: I work on nothing any more."""

    model_config = example(
        kind="leave", member="worker-1", incarnation="1767225600000-9f86d081", sequence=820
    )

    kind: Literal["leave"] = "leave"
    temporary: bool = Field(
        default=False, description="I shall be back under the same instance: keep my queues."
    )


MembersRecord = Join | Drain | Leave
