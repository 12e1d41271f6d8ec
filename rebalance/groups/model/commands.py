"""What an operator may command of a group.

The verbs, and what each needs to know. ``obeying`` obeys them; the wire's spelling is in
``trimtab.protocol.commands``.

A command says what shall be, so that giving it twice does no harm.
"""

from dataclasses import dataclass
from typing import ClassVar

from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.ids import MemberId, Millis, TopicName


@dataclass(frozen=True, slots=True)
class Pause:
    """No queue moves and no member is evicted, except by a command; hand-overs on their way end."""

    verb: ClassVar[str] = "pause"
    until: Millis | None = None
    """Resume by itself then, as the log's clock counts from the command: a gap in the log is left
    out, and makes the pause as much longer."""


@dataclass(frozen=True, slots=True)
class Resume:
    """A pause ends; what it held back is decided in one go."""

    verb: ClassVar[str] = "resume"


@dataclass(frozen=True, slots=True)
class DrainMember:
    """A member's queues go to others; it works on until they have them."""

    verb: ClassVar[str] = "drain"
    member: MemberId
    force: bool = False
    """Also if no other member subscribes one of its topics."""


@dataclass(frozen=True, slots=True)
class UndrainMember:
    """A drain ends: the member may have queues again."""

    verb: ClassVar[str] = "undrain"
    member: MemberId


@dataclass(frozen=True, slots=True)
class EvictMember:
    """A member is fenced at once."""

    verb: ClassVar[str] = "evict"
    member: MemberId
    force: bool = False
    """As for a drain."""


@dataclass(frozen=True, slots=True)
class RebalanceNow:
    """The target is computed anew, whatever the interval."""

    verb: ClassVar[str] = "rebalance"


@dataclass(frozen=True, slots=True)
class ChooseStrategy:
    """This group gets a strategy of its own; None gives it back the controller's."""

    verb: ClassVar[str] = "strategy"
    strategy: str | None


@dataclass(frozen=True, slots=True)
class ChoosePolicy:
    """This group gets these rules of its own, and no others; without any, the controller's."""

    verb: ClassVar[str] = "policy"
    overrides: Overrides = NONE


@dataclass(frozen=True, slots=True)
class ChooseMode:
    """RocketMQ's clients share a topic's queues (POP), or own them again (pull)."""

    verb: ClassVar[str] = "mode"
    topic: TopicName
    pops: bool
    share_number: int | None = None
    """Of how many others each works on the queues, too; None: as the policy says."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Members beat no more often than that; the controller gives it itself, as the load asks."""

    verb: ClassVar[str] = "pace"
    interval_ms: Millis


@dataclass(frozen=True, slots=True)
class Approve:
    """What looked too bad to be true is true: held evictions and vanished queues."""

    verb: ClassVar[str] = "approve"


@dataclass(frozen=True, slots=True)
class Forget:
    """A group without members is forgotten, but for its epoch."""

    verb: ClassVar[str] = "forget"


Command = (
    Pause
    | Resume
    | DrainMember
    | UndrainMember
    | EvictMember
    | RebalanceNow
    | ChooseStrategy
    | ChoosePolicy
    | ChooseMode
    | Pace
    | Approve
    | Forget
)
