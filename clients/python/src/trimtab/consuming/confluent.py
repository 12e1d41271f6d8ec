"""Reading by confluent-kafka, used in one way only.

- It uses only `incremental_assign` and `incremental_unassign`: a full `assign` of old and new
  partitions rewinds each of them to its committed offset.
- A consumer admits one thread at a time (confluent-kafka since 2.16), so callers take turns, and
  who waits for messages waits in slices.
- An admin client could ask without a turn. But with its `list_consumer_group_offsets` a process
  once ended in a null pointer while a coordinator started (confluent-kafka 2.16).

Chosen by `assembly`. See `contract.Client`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from trimtab.consuming.choice import Start
from trimtab.consuming.confluent_settings import client_settings, consumer_settings, said
from trimtab.consuming.contract import RefusedError, Wish, where
from trimtab.errors import ConfigurationError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import QueueRef

_SPECIAL: Final = {"earliest": OFFSET_BEGINNING, "latest": OFFSET_END}
"""As times these mean the same to a broker (the protocol's ListOffsets)."""


class ConfluentClient:
    """See `Client`."""

    slice_s = 0.005  # as long as the rest of a hand-over

    def __init__(self, wish: Wish) -> None:
        try:
            self._consumer = Consumer(consumer_settings(client_settings(wish)), logger=KAFKA_LOGGER)
        except (KafkaException, TypeError, ValueError) as error:
            raise ConfigurationError(f"kafka: {said(error)}") from None
        self.astray: set[QueueRef] = set()
        self.troubles: list[Exception] = []

    def open(self) -> None:
        """It connects by itself."""

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

    def pause(self, queues: Iterable[QueueRef]) -> None:
        """Fetch nothing of these for now."""
        self._consumer.pause([place(it) for it in queues])

    def resume(self, queues: Iterable[QueueRef]) -> None:
        """Go on with these."""
        self._consumer.resume([place(it) for it in queues])

    def positions(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """What comes after the last message that was taken, if one was."""
        found = self._consumer.position([place(it) for it in queues])
        return {queue_of(it): it.offset for it in found if it.offset >= 0}

    def ends(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """Where they end, as librdkafka keeps it."""
        found = {}
        for queue in queues:
            _, end = self._consumer.get_watermark_offsets(place(queue), cached=True)
            if end >= 0:  # it is less than that as long as there was no fetch
                found[queue] = end
        return found

    def committed(
        self, queues: list[QueueRef], timeout_s: float
    ) -> dict[QueueRef, tuple[int, str]]:
        """Read what is committed."""
        with _refusals():
            found = checked(self._consumer.committed(list(map(place, queues)), timeout_s))
        return {queue_of(it): (it.offset, metadata_of(it)) for it in found if it.offset >= 0}

    def group_metadata(self) -> object:
        """What a transaction is told of the group that commits."""
        return self._consumer.consumer_group_metadata()

    def found(self, queues: list[QueueRef], end: Start, timeout_s: float) -> dict[QueueRef, int]:
        """Find the first messages at an end, or since a time."""
        time_ms = int(end.timestamp() * 1_000) if isinstance(end, datetime) else _SPECIAL[end]
        asked = [place(queue, time_ms) for queue in queues]
        with _refusals():
            found = checked(self._consumer.offsets_for_times(asked, timeout=timeout_s))
        return {queue_of(it): it.offset for it in found if it.offset >= 0}

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
            self.troubles.append(
                RefusedError(KafkaException(error), topics=_named(message.topic()))
            )


class PlaceError(KafkaException):
    """What is wrong with one queue, and of which topic it is."""

    def __init__(self, error: KafkaError, topic: str) -> None:
        super().__init__(error)
        self.topic = topic


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except KafkaException as error:
        raise refused(error) from error


def refused(error: KafkaException) -> RefusedError:
    """What Kafka did not do."""
    is_subscribed = error.args[0].code() == KafkaError.UNKNOWN_MEMBER_ID
    topics = _named(error.topic) if isinstance(error, PlaceError) else ()
    return RefusedError(error, is_subscribed=is_subscribed, topics=topics)


def _named(topic: str | None) -> tuple[str, ...]:
    return (topic,) if topic else ()


def place(queue: QueueRef, offset: int = OFFSET_BEGINNING, said: str = "") -> TopicPartition:
    """A queue as confluent-kafka has it; what is said with a commit is kept beside it."""
    if said:
        return TopicPartition(queue.topic, queue.id, offset, said)
    return TopicPartition(queue.topic, queue.id, offset)


def metadata_of(it: TopicPartition) -> str:
    """What was said with a commit.

    confluent-kafka 2.16 reads on behind its end now and then; what is there may be no text.
    """
    try:
        return it.metadata or ""
    except UnicodeDecodeError as error:
        return error.object[: error.start].decode()


def queue_of(it: TopicPartition) -> QueueRef:
    """The queue, as we have it."""
    return QueueRef(it.topic, "", it.partition)


def checked(answers: list[TopicPartition]) -> list[TopicPartition]:
    """Raise what is wrong with any of them."""
    for answer in answers:
        if answer.error is not None:
            raise PlaceError(answer.error, answer.topic)
    return answers
