"""The questions beside a member's work, by kafka-python.

A client for each, so that nothing runs and nothing is connected between them.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError, UnknownTopicOrPartitionError

from trimtab.errors import TransportError
from trimtab.protocol import HEARTBEATS, partition_of
from trimtab.transports.inspector import PATIENCE_S, TAIL, LastTick, Subscriber, last_tick_among
from trimtab.transports.kafka_python_connecting import admin, connected, described
from trimtab.transports.link import Link

_PATIENCE_MS = int(PATIENCE_S * 1_000)
_CONSUMER = {"group_id": None, "allow_auto_create_topics": False}
_UNKNOWN = (KafkaError, TransportError)


class KafkaPythonInspector:
    """See `Inspector`."""

    def __init__(self, servers: str, prefix: str, kafka: Mapping[str, Any]) -> None:
        options = {name.replace(".", "_"): value for name, value in kafka.items()}
        self.link = Link.of_kafka_python(servers, options)
        self.prefix = prefix
        self._shared = {
            "bootstrap_timeout_ms": _PATIENCE_MS,
            "bootstrap_servers": [*self.link.servers],
            **options,
        }

    def subscribers(self, group: str) -> tuple[Subscriber, ...] | None:
        """Who is a member of Kafka's group of this name; of its first protocol, as far as known."""
        try:
            with closing(admin(self._shared, self.link)) as client:
                found = client.describe_groups([group])[group]
        except _UNKNOWN:
            return None
        error = found["error"] or ""
        if error and (found["group_state"] != "Dead" or "not a classic group" in error):
            return None  # it may be of KIP-848, which has another request
        return tuple(Subscriber(it["client_id"], it["client_host"]) for it in found["members"])

    def absent(self, topics: Sequence[str]) -> frozenset[str] | None:
        """Which of these topics do not exist."""
        try:
            states = described(self._shared, self.link, topics)
        except _UNKNOWN:
            return None
        return frozenset(it for it in topics if states[it] is UnknownTopicOrPartitionError)

    def last_tick(self, group: str) -> LastTick | None:
        """When a controller last said that it is there."""
        topic = self.prefix + HEARTBEATS.name
        try:
            with closing(connected(KafkaConsumer, self._shared | _CONSUMER, self.link)) as consumer:
                partitions = consumer.partitions_for_topic(topic)
                if not partitions:
                    return None
                place = TopicPartition(topic, partition_of(group, len(partitions)))
                return last_tick_among(_read(consumer, place))
        except _UNKNOWN:
            return None


def _read(consumer: Any, place: TopicPartition) -> Iterator[tuple[bytes | None, int]]:  # noqa: ANN401 - it ships no types
    """The key and the time of each record at the end of a partition."""
    low = consumer.beginning_offsets([place], timeout_ms=_PATIENCE_MS)[place]
    high = consumer.end_offsets([place], timeout_ms=_PATIENCE_MS)[place]
    consumer.assign([place])
    consumer.seek(place, max(low, high - TAIL))
    deadline = time.monotonic() + PATIENCE_S
    while consumer.position(place) < high:
        if time.monotonic() > deadline:
            raise TransportError("the end was not reached")
        for records in consumer.poll(timeout_ms=100).values():
            yield from ((it.key, it.timestamp) for it in records)
