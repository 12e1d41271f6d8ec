"""Queues in records: rows with a name for each place.

A queue is topic, broker and id; what is said of it follows in the same row. NamedTuples give
`row[4]` a name. On the wire the rows of one topic stand together (`shelves`). A row's length is
part of its contract: more would be version 2.
"""

from collections.abc import Iterable
from typing import Annotated, NamedTuple, TypeVar

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from trimtab.protocol.names import BrokerName, Incarnation, MemberName, TopicName
from trimtab.protocol.quantities import Epoch, Position, QueueId
from trimtab.protocol.shelves import Row, Shelved, ShelvedByGiver, ShelvedByTaker


class LifeRef(NamedTuple):
    """One life of a member."""

    member: MemberName
    incarnation: Incarnation


Taker = Annotated[LifeRef, Row()]


class QueueRef(NamedTuple):
    """A queue: a partition of a Kafka topic, or a queue of a RocketMQ topic on a broker."""

    topic: TopicName
    broker: BrokerName
    id: QueueId


class GrantRef(NamedTuple):
    """A queue under the epoch of its grant, which is also its fencing token."""

    topic: TopicName
    broker: BrokerName
    id: QueueId
    epoch: Epoch

    @property
    def queue(self) -> QueueRef:
        """The queue without the epoch."""
        return QueueRef(self.topic, self.broker, self.id)


class HolderRef(NamedTuple):
    """A queue under the epoch of its grant, and the grant that comes next (null: none)."""

    topic: TopicName
    broker: BrokerName
    id: QueueId
    epoch: Epoch
    next: Epoch | None = None
    to: Taker | None = None
    """Whose that is, if there was room to say so."""

    @property
    def queue(self) -> QueueRef:
        """The queue without the rest."""
        return QueueRef(self.topic, self.broker, self.id)

    @property
    def let_go(self) -> "ReleaseRef":
        """Its release, for whom it names: where the work stopped is not said."""
        return ReleaseRef(*self.queue, self.epoch, None, self.next, self.to)


class ReleaseRef(NamedTuple):
    """A queue let go: its epoch, where to go on, and the grant that begins (null: none known)."""

    topic: TopicName
    broker: BrokerName
    id: QueueId
    epoch: Epoch
    position: Position | None
    next: Epoch | None = None
    to: Taker | None = None
    """Whose that is; None: that of whoever was promised the queue under it."""

    @property
    def queue(self) -> QueueRef:
        """The queue without the rest."""
        return QueueRef(self.topic, self.broker, self.id)


class InheritRef(NamedTuple):
    """A queue to start on once `from_member` has released it under exactly `from_epoch`."""

    topic: TopicName
    broker: BrokerName
    id: QueueId
    epoch: Epoch
    from_member: MemberName
    from_incarnation: Incarnation
    from_epoch: Epoch

    @property
    def queue(self) -> QueueRef:
        """The queue without the rest."""
        return QueueRef(self.topic, self.broker, self.id)


_QueueRow = TypeVar("_QueueRow", GrantRef, HolderRef, ReleaseRef, InheritRef)


def name_each_once(rows: Iterable[GrantRef | HolderRef | ReleaseRef | InheritRef]) -> None:
    """Refuse a record that says two things of one queue: no member could obey both."""
    seen: set[tuple[str, str, int]] = set()
    for row in rows:
        if row[:3] in seen:
            raise PydanticCustomError("repeated_queue", "A queue is named twice")
        seen.add(row[:3])


def _once(rows: tuple[_QueueRow, ...]) -> tuple[_QueueRow, ...]:
    name_each_once(rows)
    return rows


Queues = Annotated[tuple[QueueRef, ...], Shelved()]
Grants = Annotated[tuple[GrantRef, ...], Shelved(), AfterValidator(_once)]
Holdings = Annotated[tuple[HolderRef, ...], ShelvedByTaker(), AfterValidator(_once)]
Releases = Annotated[tuple[ReleaseRef, ...], ShelvedByTaker(), AfterValidator(_once)]
Inherits = Annotated[tuple[InheritRef, ...], ShelvedByGiver(), AfterValidator(_once)]
