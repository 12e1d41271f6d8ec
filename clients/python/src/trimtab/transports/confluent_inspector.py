"""The questions beside a member's work, by confluent-kafka.

A client for each, so that nothing runs and nothing is connected between them.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import HEARTBEATS, partition_of
from trimtab.transports.inspector import PATIENCE_S, TAIL, LastTick, Subscriber, last_tick_among
from trimtab.transports.link import Link

_CONSUMER: Final = {
    "group.id": "trimtab-member",  # demanded by the client; nothing is ever committed
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "allow.auto.create.topics": False,
}


class ConfluentInspector:
    """See `Inspector`."""

    def __init__(self, servers: str, prefix: str, kafka: Mapping[str, Any]) -> None:
        self.link = Link.of_confluent(servers, kafka)
        self.prefix = prefix
        self._shared = {"bootstrap.servers": servers, **kafka}

    def subscribers(self, group: str) -> tuple[Subscriber, ...] | None:
        """Not known: neither request of this library can be used beside a member's work.

        When `describe_consumer_groups` is not answered in time, librdkafka 2.16 ends the process
        (`rd_kafka_enq_once_del_source_return`); `list_groups` fails with an ImportError.
        """
        del group
        return None

    def absent(self, topics: Sequence[str]) -> frozenset[str] | None:
        """Which of these topics do not exist."""
        consumer = Consumer(self._shared | _CONSUMER, logger=KAFKA_LOGGER)
        try:
            found = [consumer.list_topics(it, PATIENCE_S).topics[it].error for it in topics]
        except KafkaException:
            return None
        finally:
            consumer.close()
        unknown = KafkaError.UNKNOWN_TOPIC_OR_PART
        pairs = zip(topics, found, strict=True)
        return frozenset(it for it, error in pairs if error is not None and error.code() == unknown)

    def last_tick(self, group: str) -> LastTick | None:
        """When a controller last said that it is there."""
        topic = self.prefix + HEARTBEATS.name
        consumer = Consumer(self._shared | _CONSUMER, logger=KAFKA_LOGGER)
        try:
            count = len(consumer.list_topics(topic, PATIENCE_S).topics[topic].partitions)
            place = TopicPartition(topic, partition_of(group, count)) if count else None
            if place is None:
                return None
            low, high = consumer.get_watermark_offsets(place, PATIENCE_S)
            consumer.assign([TopicPartition(topic, place.partition, max(low, high - TAIL))])
            return last_tick_among((it.key(), it.timestamp()[1]) for it in _read(consumer))
        except KafkaException:
            return None
        finally:
            consumer.close()


def _read(consumer: Consumer) -> Iterator[Message]:
    """Everything to the end of what is assigned, as far as it comes in time."""
    deadline = time.monotonic() + PATIENCE_S
    while (left := deadline - time.monotonic()) > 0:
        message = consumer.poll(left)
        error = message.error() if message is not None else None
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its documented name
                return
            raise KafkaException(error)
        if message is not None:
            yield message
    raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - as above
