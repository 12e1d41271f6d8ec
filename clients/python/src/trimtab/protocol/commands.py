"""Topic `commands`, keyed by group or cluster: operators' commands, one model for each verb.

Each has an `id` (the same id twice is one command), a principal and a reason, which the history
repeats. `base_epoch` refuses a command if the group has changed since its author looked.
"""

from typing import Annotated, Literal

from pydantic import Field

from trimtab.protocol.names import BrokerName, Label, MemberName, Text, Token, TopicName
from trimtab.protocol.overrides import Overrides
from trimtab.protocol.quantities import Epoch, ShareNumber, Timeout, Timestamp
from trimtab.protocol.record import Record, example


class Command(Record):
    """What every command says."""

    id: Token = Field(description="The same id twice is one command.")
    principal: Label = Field(description="Who gave the command.")
    reason: Text = Field(min_length=1, description="Why; repeated in the history.")
    base_epoch: Epoch | None = Field(
        default=None, description="Refuse if the group has moved past this epoch since."
    )


Forced = Annotated[
    Literal[True] | None,
    Field(description="Also if no other member subscribes one of its topics."),
]

_SIGNED = {"id": "c-20260101-1", "principal": "ann", "reason": "maintenance of rack 3"}


class Pause(Command):
    """Move nothing and evict no member of this group until resumed."""

    model_config = example(kind="pause", **_SIGNED, until_ms=1_767_229_200_000)

    kind: Literal["pause"] = "pause"
    until_ms: Timestamp | None = Field(default=None, description="Resume by itself at this time.")


class Resume(Command):
    """End a pause."""

    model_config = example(kind="resume", **_SIGNED)

    kind: Literal["resume"] = "resume"


class DrainMember(Command):
    """Hand a member's queues to others; it gets none until it restarts, or `undrain`."""

    model_config = example(kind="drain", **_SIGNED, member="worker-1")

    kind: Literal["drain"] = "drain"
    member: MemberName
    force: Forced = None


class UndrainMember(Command):
    """End an operator's drain: the member may have queues again."""

    model_config = example(kind="undrain", **_SIGNED, member="worker-1")

    kind: Literal["undrain"] = "undrain"
    member: MemberName


class EvictMember(Command):
    """Fence a member at once."""

    model_config = example(kind="evict", **_SIGNED, member="worker-1", base_epoch=17)

    kind: Literal["evict"] = "evict"
    member: MemberName
    force: Forced = None


class Rebalance(Command):
    """Compute the target again."""

    model_config = example(kind="rebalance", **_SIGNED)

    kind: Literal["rebalance"] = "rebalance"


class ChooseStrategy(Command):
    """Set a strategy for one group, or return to the controller's."""

    model_config = example(kind="strategy", **_SIGNED, strategy="AVG")

    kind: Literal["strategy"] = "strategy"
    strategy: Token | None = Field(
        default=None, description="The strategy's name; null: the controller's."
    )


class ChoosePolicy(Command):
    """Give a group rules of its own, these and no others, or the controller's again."""

    model_config = example(
        kind="policy", **_SIGNED, overrides={"blast_percent": 80, "assignment_interval_ms": 5_000}
    )

    kind: Literal["policy"] = "policy"
    overrides: Overrides | None = Field(
        default=None, description="All of them; what is absent is the controller's."
    )


class ChooseMode(Command):
    """Have a group's eager members share a topic's queues (RocketMQ's POP), or own them again."""

    model_config = example(kind="mode", **_SIGNED, topic="orders", mode="pop", share_number=2)

    kind: Literal["mode"] = "mode"
    topic: TopicName
    mode: Literal["pop", "pull"]
    share_number: ShareNumber | None = Field(
        default=None,
        description="Of how many others each works on the queues, too; absent: the policy's.",
    )


class Pace(Command):
    """Ask a group's members to beat no more often than that; the controller gives it itself."""

    model_config = example(
        kind="pace",
        **_SIGNED | {"principal": "trimtab-1", "reason": "90000 members, and 10000 beats a second"},
        interval_ms=10_000,
    )

    kind: Literal["pace"] = "pace"
    interval_ms: Timeout = Field(description="As the policy says, if it is shorter than that.")


class Approve(Command):
    """Confirm what the controller doubts: silent members are dead, missing queues are gone."""

    model_config = example(kind="approve", **_SIGNED)

    kind: Literal["approve"] = "approve"


class Eject(Command):
    """Keep traffic off a broker."""

    model_config = example(kind="eject", **_SIGNED, broker="broker-a", until_ms=1_767_229_200_000)

    kind: Literal["eject"] = "eject"
    broker: BrokerName
    until_ms: Timestamp | None = None


class Restore(Command):
    """Put an ejected broker back, and keep it in use whatever the detectors say."""

    model_config = example(kind="restore", **_SIGNED, broker="broker-a", until_ms=1_767_229_200_000)

    kind: Literal["restore"] = "restore"
    broker: BrokerName
    until_ms: Timestamp | None = Field(
        default=None, description="The detectors judge it again then; absent: at once."
    )


class Forget(Command):
    """Forget a group that has no members, but for its epoch; or one broker of a cluster."""

    model_config = example(kind="forget", **_SIGNED)

    kind: Literal["forget"] = "forget"
    broker: BrokerName | None = Field(
        default=None,
        description="Keyed by cluster: the broker to forget, with the commands about it.",
    )


CommandsRecord = (
    Pause
    | Resume
    | DrainMember
    | UndrainMember
    | EvictMember
    | Rebalance
    | ChooseStrategy
    | ChoosePolicy
    | ChooseMode
    | Pace
    | Approve
    | Eject
    | Restore
    | Forget
)
