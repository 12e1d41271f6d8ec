"""Where a group's queues begin in Kafka: what is committed, and the ends of what there is.

Used by `ConsumerBinding`, which lets one thread at a time use the consumer.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from trimtab.protocol import QueueRef

Start = Literal["earliest", "latest"]

_LOGGER: Final = logging.getLogger("trimtab")
_ASK_S: Final = 2.0
"""One question to Kafka. No other thread uses the consumer meanwhile."""
_SPECIAL: Final = {"earliest": OFFSET_BEGINNING, "latest": OFFSET_END}
"""As times these mean the same to a broker (the protocol's ListOffsets)."""
_FINAL: Final = {
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
}
"""What asking again does not help against."""


_ASK_AGAIN_S: Final = 0.1
"""librdkafka's own first pause before a retry (`retry.backoff.ms`)."""
_PAUSE: Final = 4
"""A question without an answer is asked again after so many times as long as it took: nothing is
read meanwhile, so that what can be read is read for four fifths of the time."""


@dataclass(slots=True)
class Asked:
    """When Kafka is asked again what it could not say."""

    again_at: float = 0.0

    @contextmanager
    def answered(self) -> Iterator[None]:
        """Ask in this block; if there is no answer, and may be one later, go on without it."""
        began = time.monotonic()
        try:
            yield
        except KafkaException as error:
            if not may_pass(error):
                raise
            now = time.monotonic()
            self.again_at = now + max(_ASK_AGAIN_S, _PAUSE * (now - began))
            _LOGGER.warning("could not look up where to read, will retry: %s", error)


class GroupOffsets:
    """Reads the offsets of the group that a consumer is configured for."""

    def __init__(self, consumer: Consumer, start: Start) -> None:
        self._consumer = consumer
        self._start = start

    def committed(self, queues: list[QueueRef]) -> dict[QueueRef, int]:
        """Read what is committed; what is not there has none."""
        if not queues:
            return {}
        found = checked(self._consumer.committed(list(map(place, queues)), _ASK_S))
        return {_queue(it): it.offset for it in found if it.offset >= 0}

    def first(self, queues: list[QueueRef]) -> dict[QueueRef, int]:
        """Find where to begin with queues that have no committed offset."""
        return self._ends(queues, self._start)

    def earliest(self, queues: list[QueueRef]) -> dict[QueueRef, int]:
        """Find the earliest messages that there still are."""
        return self._ends(queues, "earliest")

    def _ends(self, queues: list[QueueRef], end: Start) -> dict[QueueRef, int]:
        if not queues:
            return {}
        asked = [place(queue, _SPECIAL[end]) for queue in queues]
        return {
            _queue(it): it.offset
            for it in checked(self._consumer.offsets_for_times(asked, timeout=_ASK_S))
        }


def place(queue: QueueRef, offset: int = OFFSET_BEGINNING) -> TopicPartition:
    """A queue as confluent-kafka has it."""
    return TopicPartition(queue.topic, queue.id, offset)


def may_pass(error: KafkaException) -> bool:
    """Whether it is worth asking again."""
    return error.args[0].code() not in _FINAL


def _queue(it: TopicPartition) -> QueueRef:
    return QueueRef(it.topic, "", it.partition)


def checked(answers: list[TopicPartition]) -> list[TopicPartition]:
    """Raise what is wrong with any of them."""
    for answer in answers:
        if answer.error is not None:
            raise KafkaException(answer.error)
    return answers
