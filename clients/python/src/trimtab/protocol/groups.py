"""Topic `groups`, keyed by group, compacted: one group's summary, for people and dashboards.

One screen per group: is it settled, who owns how much, since which epoch and why. The route watcher
reads it too, to know which topics a group asks for and what it knows of them. Its one rule: it adds
nothing to what `assignments` says, so no member needs it to own a queue.
"""

from typing import Annotated, Literal

from pydantic import Field

from trimtab.protocol import limits
from trimtab.protocol.cause import Cause
from trimtab.protocol.names import GroupName, Label, MemberName, Pattern, Text, Token, TopicName
from trimtab.protocol.overrides import Overrides
from trimtab.protocol.quantities import Count, Epoch, Timeout, Timestamp
from trimtab.protocol.record import Part, Record, example

Noted = Literal[True] | None
"""What is rarely so is said only when it is: a summary may name a thousand members."""

State = Literal["empty", "assigning", "reconciling", "starved", "stable", "dead"]
"""`starved`: at rest, but some queues have no worker; `shortage` may say why."""


class QueueCounts(Part):
    """Where the group's queues are.

    `moving`: its holder was told to give it; `unassigned`: without a holder.
    """

    assigned: Count
    moving: Count
    unassigned: Count


class TopicSummary(Part):
    """A subscribed topic; `awaited` when it does not exist yet.

    `queues`: those that members may own; `left_out`: those beside them that the group has no room
    for. `popped`: by a command, RocketMQ's clients share its queues.
    """

    version: Count
    queues: Count
    awaited: bool
    generation: Label | None = Field(
        default=None,
        description="The id of the topic that the group knows, if it has one.",
    )
    left_out: Count | None = None
    popped: Noted = None


class LeftOutCounts(Part):
    """Queues for which the group has no room; no member works on them."""

    topics: Count
    queues: Count
    first: Annotated[tuple[TopicName, ...], Field(max_length=limits.LEFT_OUT_NAMED, fail_fast=True)]


class MemberSummary(Part):
    """A member and how many queues it holds, gives up and inherits.

    `away`: it means to be back. `held`: it is silent, and its eviction is held. `resting`: it came
    and went too often, and gets no queues for a while. `standby`: the target has no queue for it.
    `guarded`: when its process is dead, its guard releases at once.
    """

    member: MemberName
    hold: Count
    give: Count
    inherit: Count
    heir_of: Count | None = Field(
        default=None, description="Queues that it would take over at once if their holders went."
    )
    draining: bool
    away: Noted = None
    held: Noted = None
    resting: Noted = None
    standby: Noted = None
    guarded: Noted = None

    @property
    def is_idle(self) -> bool:
        """Whether it gets no queues, whoever else does."""
        return any((self.draining, self.resting, self.away, self.held))


class Group(Record):
    """A group at an epoch."""

    model_config = example(
        kind="group",
        group="billing",
        state="stable",
        epoch=4,
        group_epoch=4,
        target_epoch=4,
        strategy="AVG",
        members=1,
        queues={"assigned": 16, "moving": 0, "unassigned": 0},
        topics={"orders": {"version": 1, "queues": 16, "awaited": False}},
        at_ms=1_767_225_600_000,
        cause={"kind": "join", "subject": "worker-1"},
        people=[
            {
                "member": "worker-1",
                "hold": 16,
                "give": 0,
                "inherit": 0,
                "draining": False,
            }
        ],
    )

    kind: Literal["group"] = "group"
    group: GroupName
    state: State
    paused: Noted = None
    paused_until_ms: Timestamp | None = Field(
        default=None, description="When its pause ends by itself, if it does."
    )
    epoch: Epoch
    group_epoch: Epoch = Field(description="Epoch of the last change of members or routes.")
    target_epoch: Epoch = Field(description="The group epoch the target was computed for.")
    strategy: Token
    own_strategy: Token | None = Field(
        default=None,
        description="The strategy that an operator's command has set; absent: the controller's.",
    )
    overrides: Overrides | None = Field(
        default=None, description="Its own policy, set by an operator's command."
    )
    members: Count
    queues: QueueCounts
    subscriptions: Count | None = Field(
        default=None, description="How many different ones its members have, if not one."
    )
    shortage: Annotated[dict[Label, Count], Field(max_length=16)] | None = Field(
        default=None, description="Why queues could not be assigned, and how many."
    )
    left_out: LeftOutCounts | None = Field(
        default=None, description="Existing, subscribed topics for which the group has no room."
    )
    topics: Annotated[dict[TopicName, TopicSummary], Field(max_length=limits.TOPICS_PER_MEMBER)]
    ailment: Text | None = Field(
        default=None,
        description="What failed for it; tried again at its next change or by a command.",
    )
    more_topics: Count | None = Field(
        default=None, description="So many more, for which the summary had no room."
    )
    patterns: (
        Annotated[tuple[Pattern, ...], Field(max_length=limits.PATTERNS_PER_GROUP, fail_fast=True)]
        | None
    ) = Field(default=None, description="What its members subscribe by pattern, if anything.")
    pace_ms: Timeout | None = Field(
        default=None, description="The controller has many members: these beat no more often."
    )
    at_ms: Timestamp
    cause: Cause
    people: Annotated[
        tuple[MemberSummary, ...],
        Field(max_length=limits.MEMBERS_PER_SUMMARY, fail_fast=True),
    ] = Field(
        description="The members, the first thousand by name; of more, first those that drain, "
        "rest, are away or silent."
    )

    @property
    def unnamed(self) -> int:
        """How many members there are of which it is not known whether they get queues.

        A full summary names those that get none before the others, so they are all there if its
        last one gets some.
        """
        if len(self.people) == limits.MEMBERS_PER_SUMMARY and not self.people[-1].is_idle:
            return 0
        return self.members - len(self.people)
