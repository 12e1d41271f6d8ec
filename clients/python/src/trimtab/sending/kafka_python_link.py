"""The way to the controller over kafka-python: a consumer of verdicts, a producer of reports.

As ``confluent_link``. This client connects when it is made, so both are made when it is opened;
and its producer waits for room and for metadata, so a report waits for neither long.

Made by ``kafka_python``. Its one rule: only the keeper's thread comes here, and it may wait.
"""

import time
from collections import deque
from typing import Any, Final

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, TopicAuthorizationFailedError

from trimtab.errors import ConfigurationError, TransportError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import BROKERS, LATENCY, partition_of
from trimtab.sending.contract import Place, VerdictRecord
from trimtab.transports.kafka_python import close_producer
from trimtab.transports.kafka_python_connecting import REFUSALS, connected
from trimtab.transports.kafka_python_unread import forget
from trimtab.transports.link import Link
from trimtab.transports.progress import Progress
from trimtab.transports.rights import denied

_ANSWER_MS: Final = 2_000

DEFAULTS: Final = {"reconnect_backoff_max_ms": 1_000, "bootstrap_timeout_ms": 5_000}
_CONSUMER: Final = {
    "group_id": None,  # nothing is ever committed
    "enable_auto_commit": False,
    "auto_offset_reset": "earliest",  # when the log was cut, or made anew
    "allow_auto_create_topics": False,
}
_PRODUCER: Final = {
    "acks": 1,
    "enable_idempotence": False,
    "linger_ms": 0,
    "max_block_ms": 500,
    "delivery_timeout_ms": 5_000,  # an older report says what the newer one will say
    "request_timeout_ms": 5_000,
    "allow_auto_create_topics": False,
}
_CLOSE_S: Final = 1.0


def connecting(place: Place) -> dict[str, Any]:
    """Return what says how to connect, without what concerns an application's messages."""
    named = {name.replace(".", "_"): value for name, value in place.kafka.items()}
    known = {name: it for name, it in named.items() if name in KafkaConsumer.DEFAULT_CONFIG}
    own = {name: it for name, it in known.items() if name.split("_")[0] in _CONNECTING}
    return {**DEFAULTS, **own, "bootstrap_servers": place.servers.split(",")}


def way_of(place: Place) -> Link:
    """Return how a client was told to connect, for people."""
    return Link.of_kafka_python(place.servers, connecting(place))


_CONNECTING: Final = {"api", "client", "sasl", "security", "socks5", "ssl", "proxy"}


class KafkaPythonLink:
    """One cluster's verdicts and reports."""

    def __init__(self, place: Place, prefix: str) -> None:
        self._brokers, self._latency = prefix + BROKERS.name, prefix + LATENCY.name
        self._config, self._way = connecting(place), way_of(place)
        self._troubles = deque[str]()
        self._key = b""
        self._partition = 0
        self._caught_up = False
        self._progress: Progress[Any] = Progress({})
        self._consumer: Any = None
        self._producer: Any = None

    def open(self, cluster: str) -> bool:
        """Follow a cluster's verdicts from their beginning."""
        try:
            self._consumer = self._consumer or connected(
                KafkaConsumer, self._config | _CONSUMER, self._way
            )
            self._producer = self._producer or connected(
                KafkaProducer, self._config | _PRODUCER, self._way
            )
            found = self._consumer.partitions_for_topic(self._brokers)
            if not found:
                return False
            self._key = cluster.encode()
            self._partition = partition_of(cluster, len(found))
            followed = TopicPartition(self._brokers, self._partition)
            starts = self._consumer.beginning_offsets([followed], timeout_ms=_ANSWER_MS)
            ends = self._consumer.end_offsets([followed], timeout_ms=_ANSWER_MS)
        except REFUSALS as error:
            raise ConfigurationError(f"kafka: {error}") from error
        except KafkaError as error:
            raise TransportError(str(error)) from error
        self._consumer.assign([followed])
        self._consumer.seek(followed, starts[followed])
        self._progress = Progress(starts)
        self._progress.aim(0, ends)
        return True

    def poll(self, timeout_ms: int) -> list[VerdictRecord]:
        """Wait for verdicts."""
        verdicts = []
        try:
            for partition, records in self._consumer.poll(timeout_ms=timeout_ms).items():
                for record in records:
                    self._progress.reach(partition, record.offset + 1)
                    verdicts.append(VerdictRecord(record.key, record.value, record.timestamp))
        except KafkaError as error:
            forget(self._consumer)
            KAFKA_LOGGER.debug("verdicts: %s", error)
            if isinstance(error, TopicAuthorizationFailedError):
                self._troubles.append(denied(self._way, self._brokers, "Read"))
            time.sleep(timeout_ms / 1_000)  # what it cannot read it reads again at once
        self._caught_up |= self._progress.reached() is not None
        return verdicts

    def has_caught_up(self) -> bool:
        """Tell whether the end was reached once."""
        return self._caught_up

    def report(self, value: bytes) -> None:
        """Write a report; when Kafka is away, this one is lost."""
        if self._producer is None:
            return
        try:
            sent = self._producer.send(self._latency, value, self._key, partition=self._partition)
            sent.add_errback(self._lost)
        except KafkaError as error:
            self._lost(error)

    def troubles(self) -> list[str]:
        """Return what is wrong."""
        return [self._troubles.popleft() for _ in range(len(self._troubles))]

    def close(self) -> None:
        """Disconnect."""
        if self._producer is not None:
            close_producer(self._producer, _CLOSE_S)
        if self._consumer is not None:
            self._consumer.close(autocommit=False)

    def _lost(self, error: Exception) -> None:
        """Hear of a report, on a thread of the producer's."""
        KAFKA_LOGGER.debug("a report is lost: %s", error)
        if isinstance(error, TopicAuthorizationFailedError):
            self._troubles.append(denied(self._way, self._latency, "Write"))
