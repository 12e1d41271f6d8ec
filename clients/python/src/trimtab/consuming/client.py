"""The Kafka client of a consumer: confluent-kafka's, used in one way only.

- It uses only `incremental_assign` and `incremental_unassign`: a full `assign` of old and new
  partitions rewinds each of them to its committed offset.
- A consumer admits one thread at a time (confluent-kafka since 2.16), so callers take turns, and
  who waits for messages waits in slices.

Used by `intake`, `handover` and `upkeep`. Its one rule: it decides nothing.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message

from trimtab.consuming.choice import Start
from trimtab.consuming.leaders import Leaders
from trimtab.consuming.offsets import GroupOffsets, place
from trimtab.consuming.settings import consumer_settings, said
from trimtab.errors import ConfigurationError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import QueueRef


class Client:
    """Reads partitions."""

    def __init__(self, settings: Mapping[str, Any], start: Start) -> None:
        try:
            self._consumer = Consumer(consumer_settings(settings), logger=KAFKA_LOGGER)
        except (KafkaException, TypeError, ValueError) as error:
            raise ConfigurationError(f"kafka: {said(error)}") from None
        self.offsets = GroupOffsets(self._consumer, start)
        self.leaders = Leaders(self.offsets)
        self.astray: set[QueueRef] = set()
        """Queues whose next message Kafka does not have any more."""
        self.troubles: list[KafkaError] = []
        """What it has met instead of messages."""

    def take(self, most: int, timeout_s: float) -> list[Message]:
        """Take what there is; wait only for the first message."""
        first = self._consumer.poll(timeout_s)
        if first is None:
            return []
        return self._messages([first, *self._consumer.consume(most - 1, 0)])

    def collect(self, most: int, timeout_s: float) -> list[Message]:
        """Take so many, or what has come when the time is up."""
        return self._messages(self._consumer.consume(most, timeout_s))

    def begin(self, places: Mapping[QueueRef, int]) -> None:
        """Read these as well."""
        self._consumer.incremental_assign([place(*it) for it in places.items()])

    def end(self, queues: Collection[QueueRef]) -> None:
        """Read these no more."""
        self.astray.difference_update(queues)
        self._consumer.incremental_unassign([place(it) for it in queues])

    def move(self, places: Mapping[QueueRef, int]) -> None:
        """Read these from somewhere else."""
        self.end(places.keys())
        self.begin(places)

    def pause(self, queues: Iterable[QueueRef]) -> None:
        """Fetch nothing of these for now."""
        self._consumer.pause([place(it) for it in queues])

    def resume(self, queues: Iterable[QueueRef]) -> None:
        """Go on with these."""
        self._consumer.resume([place(it) for it in queues])

    def positions(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """What comes after the last message that was taken, if one was."""
        found = self._consumer.position([place(it) for it in queues])
        return {QueueRef(it.topic, "", it.partition): it.offset for it in found if it.offset >= 0}

    def group_metadata(self) -> object:
        """What a transaction is told of the group that commits."""
        return self._consumer.consumer_group_metadata()

    def close(self) -> None:
        """Read nothing more."""
        self._consumer.close()

    def _messages(self, taken: list[Message]) -> list[Message]:
        """Leave out what is none."""
        if errors := list(filter(Message.error, taken)):
            for error in errors:
                self._hear(error)
            return [it for it in taken if it.error() is None]
        return taken

    def _hear(self, message: Message) -> None:
        error = message.error()
        assert error is not None
        if error.code() == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - its public name
            self.astray.add(where(message)[0])
        else:
            self.troubles.append(error)


def where(message: Message) -> tuple[QueueRef, int]:
    """Where a message stands."""
    return QueueRef(message.topic() or "", "", message.partition() or 0), message.offset() or 0
