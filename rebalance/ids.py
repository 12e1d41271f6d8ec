"""The names and numbers that identify things.

Every identifier has a type of its own, so that a member can never be passed where a topic is meant;
at run time they are plain strings and integers. All modules may import this one, and it imports
none.

Identifiers are compared and stored exactly as they came; validating them is the business of the
edge (``trimtab.protocol.names``).
"""

from typing import Final, NamedTuple, NewType

GroupName = NewType("GroupName", str)
MemberId = NewType("MemberId", str)
InstanceId = NewType("InstanceId", str)
TopicName = NewType("TopicName", str)
Pattern = NewType("Pattern", str)
"""What stands for every topic whose name matches it (``globs``)."""
BrokerName = NewType("BrokerName", str)

Incarnation = NewType("Incarnation", str)
"""Tells the lives of a member apart: start time and a random part. Later ones compare greater."""

Epoch = NewType("Epoch", int)
"""A reading of a group's one epoch counter: it only grows, and everything decided in one batch
carries the same reading. 0 means "before anything was decided"."""

Millis = NewType("Millis", int)
"""A point in, or a length of, log time in milliseconds. Never a reading of a local clock."""


ANY_QUEUE: Final = -1
"""RocketMQ's queue id for "whichever queue of the broker has messages"."""


class Queue(NamedTuple):
    """One unit of ownership: RocketMQ's MessageQueue, Kafka's partition (broker empty)."""

    topic: TopicName
    broker: BrokerName
    id: int


class Life(NamedTuple):
    """One life of one member: a restart is a new one."""

    member: MemberId
    incarnation: Incarnation

    @property
    def shared_name(self) -> MemberId:
        """What it calls itself, as its twins do: its name without what ``own_names`` adds."""
        return MemberId(self.member.removesuffix(f"@{self.incarnation}"))

    @property
    def on_the_wire(self) -> "Life":
        """Itself, as records name it."""
        return self._replace(member=self.shared_name)

    @property
    def process(self) -> str:
        """What the lives of one process have in common; of twins that are told apart no others."""
        shared = self.shared_name
        return shared if shared == self.member else f"{shared}@{start_of(self.incarnation)}"


def start_of(incarnation: Incarnation) -> str:
    """Return what all lives of one process have in common: when it started, in milliseconds."""
    return incarnation.partition("-")[0]


def began(incarnation: Incarnation) -> Millis:
    """Return when a life's process started, by its own clock; 0 if it does not say so."""
    start = start_of(incarnation)
    return Millis(int(start) if start.isdecimal() else 0)


class OfOneLife:
    """Something that is about one life."""

    __slots__ = ()
    life: Life

    @property
    def member(self) -> MemberId:
        """The member that it is about."""
        return self.life.member

    @property
    def incarnation(self) -> Incarnation:
        """In which of its lives."""
        return self.life.incarnation


class Naming(NamedTuple):
    """A grant of a queue, and the one that begins when its holder is done."""

    queue: "Queue"
    epoch: Epoch
    next: Epoch | None = None
    """None: nobody's; the controller decides when it has read the release."""
    to: Life | None = None
    """Whose that is. None in a release: that of whoever was promised it."""


class Held(NamedTuple):
    """A queue that some member was granted: never again under the same epoch."""

    queue: Queue
    epoch: Epoch


class Tenure(NamedTuple):
    """One life's grant of a queue: what a release ends, and an heir waits for."""

    life: Life
    epoch: Epoch


class Position(NamedTuple):
    """Where in the log a record stands."""

    topic: TopicName
    partition: int
    offset: int


def java_order(text: str) -> bytes:
    """Return a sort key that puts strings in Java's order, lone surrogates included."""
    return text.encode("utf-16-be", "surrogatepass")
