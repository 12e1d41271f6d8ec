"""Queues on the wire: short arrays with a name for each place.

A queue is `[topic, broker, id]`; what is said of it follows in the same array. Arrays, because one
record may speak of thousands; NamedTuples here, because nobody remembers what `row[4]` was.
An array's length is part of its contract: more would be version 2.
"""

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from pydantic import AfterValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from trimtab.protocol import limits
from trimtab.protocol.names import BrokerName, Incarnation, MemberName, TopicName
from trimtab.protocol.quantities import Epoch, Position, QueueId


class _Row:
    """Reads a JSON array into a NamedTuple. Pydantic's own way costs twice as much per row."""

    def __get_pydantic_core_schema__(
        self, source: type[tuple[Any, ...]], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        hints = get_type_hints(source, include_extras=True)
        cells = [
            handler.generate_schema(Annotated[hint, Field(title=name)])
            for name, hint in hints.items()
        ]
        make = getattr(source, "_make")  # noqa: B009 - not declared on `tuple`, by which it is typed
        return core_schema.no_info_after_validator_function(make, core_schema.tuple_schema(cells))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(schema)


ROW = _Row()


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


class ReleaseRef(NamedTuple):
    """A queue let go: the epoch it was held under, and where the heir goes on (null: unknown)."""

    topic: TopicName
    broker: BrokerName
    id: QueueId
    epoch: Epoch
    position: Position | None

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


_QueueRow = TypeVar("_QueueRow", GrantRef, ReleaseRef, InheritRef)


def name_each_once(rows: Iterable[GrantRef | ReleaseRef | InheritRef]) -> None:
    """Refuse a record that says two things of one queue: nobody could obey both."""
    seen: set[tuple[str, str, int]] = set()
    for row in rows:
        if row[:3] in seen:
            raise PydanticCustomError("repeated_queue", "A queue is named twice")
        seen.add(row[:3])


def _once(rows: tuple[_QueueRow, ...]) -> tuple[_QueueRow, ...]:
    name_each_once(rows)
    return rows


_MANY = Field(max_length=limits.QUEUES_PER_RECORD, fail_fast=True)

Queues = Annotated[tuple[Annotated[QueueRef, ROW], ...], _MANY]
Grants = Annotated[tuple[Annotated[GrantRef, ROW], ...], _MANY, AfterValidator(_once)]
Releases = Annotated[tuple[Annotated[ReleaseRef, ROW], ...], _MANY, AfterValidator(_once)]
Inherits = Annotated[tuple[Annotated[InheritRef, ROW], ...], _MANY, AfterValidator(_once)]
