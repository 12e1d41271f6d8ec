"""Whole topics, read from the first record there is to the last one at the start.

Every partition is read to its end of this moment, whatever is appended meanwhile.

Called by `trimtab brokers`, `replay` and `check`. Its one rule: it joins no group and commits
nothing, so it disturbs no consumer.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from console.cluster import native_options
from console.errors import ExitCode, Failure
from console.settings import Settings

_TIMEOUT_S = 15.0
"""How long a broker may say nothing; a healthy one answers in milliseconds."""
_PAUSE_S = 0.1

_PASSING: Final = {
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
}
"""What a broker answers for a moment to whoever asks for a partition that is new, or moves."""

_Place = tuple[str, int]


class Offsets(Protocol):
    """What answers where a partition begins and ends."""

    def get_watermark_offsets(self, place: TopicPartition, timeout: float, /) -> tuple[int, int]:
        """Return the first offset and the one after the last."""


def messages(settings: Settings, servers: str, topics: Sequence[str]) -> Iterator[Message]:
    """Read topics; the messages of a partition come in their order.

    Raises:
        Failure: Kafka does not answer, or has no such topic.
    """
    consumer = Consumer(
        {
            **native_options(settings),
            "bootstrap.servers": servers,
            "group.id": "trimtab-reading",  # never joined
            "enable.auto.commit": False,
            "enable.partition.eof": True,  # the last records may have been compacted away
            "log_level": 2,
        }
    )
    try:
        yield from _read(consumer, topics)
    except KafkaException as error:
        raise Failure(f"Kafka does not answer: {error.args[0].str()}", ExitCode.TIMEOUT) from error
    finally:
        consumer.close()


def _read(consumer: Consumer, topics: Sequence[str]) -> Iterator[Message]:
    left = dict(_ends(consumer, topics))
    consumer.assign([TopicPartition(*place, first) for place, (first, _) in left.items()])
    while left:
        message = consumer.poll(_TIMEOUT_S)
        if message is None:
            raise Failure("Kafka has stopped answering", ExitCode.TIMEOUT)
        place, error = (str(message.topic()), message.partition() or 0), message.error()
        if error is not None and error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001 - its documented name
            raise KafkaException(error)
        if error is None and place in left:
            yield message
        if error is not None or (message.offset() or 0) + 1 >= left.get(place, (0, 0))[1]:
            left.pop(place, None)


def _ends(consumer: Consumer, topics: Sequence[str]) -> Iterator[tuple[_Place, tuple[int, int]]]:
    for topic in topics:
        found = consumer.list_topics(topic, _TIMEOUT_S).topics[topic]
        if found.error is not None:
            raise Failure(f"there is no topic {topic}", ExitCode.NOT_FOUND)
        for partition in found.partitions:
            first, end = offsets(consumer, TopicPartition(topic, partition))
            if end > first:
                yield (topic, partition), (first, end)


def offsets(consumer: Offsets, place: TopicPartition) -> tuple[int, int]:
    """Return the first offset and the one after the last."""
    deadline = time.monotonic() + _TIMEOUT_S
    while True:
        try:
            return consumer.get_watermark_offsets(place, _TIMEOUT_S)
        except KafkaException as error:
            if error.args[0].code() not in _PASSING or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)
