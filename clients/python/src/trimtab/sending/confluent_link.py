"""The way to the controller over confluent-kafka: a consumer of verdicts, a producer of reports.

Both are apart from the client that the application's messages use: a report may have to go where
messages cannot, and whatever becomes of it, no message waits behind it.

Made by `confluent`. Its one rule: what it cannot do now is said at once, and tried by others later.
"""

from typing import Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    TIMESTAMP_NOT_AVAILABLE,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from trimtab.clock import now_s, steady_ms
from trimtab.errors import ConfigurationError, TransportError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import BROKERS, LATENCY, partition_of
from trimtab.sending.contract import Place, VerdictRecord
from trimtab.transports.confluent import soon
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_succession import successor
from trimtab.transports.link import Link
from trimtab.transports.rights import denied

_ANSWER_S: Final = 2.0
_AT_ONCE: Final = 1_000
_PATIENCE_S: Final = 1.0
"""For the last report, when the producer ends."""

_WORN_S: Final = 60.0
"""A client that has done nothing for so long is replaced: an idle one has little to connect for."""
_CONNECTING: Final = {"broker", "client", "https", "sasl", "security", "socket", "ssl"}
"""What the names of options begin with that say how to connect; the others concern messages."""
_CONNECTING_TOO: Final = {
    "enable.sasl.oauthbearer.unsecure.jwt",
    "enable.ssl.certificate.verification",
    "oauth_cb",
}
"""Those that say so as well."""
_UNKNOWN: Final = KafkaError.UNKNOWN_TOPIC_OR_PART
_DENIED: Final = KafkaError.TOPIC_AUTHORIZATION_FAILED
_CONSUMER: Final = {
    "group.id": "trimtab-producer",  # demanded by the client; nothing is ever committed
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",  # when the log was cut, or made anew: librdkafka's is its end
    "enable.partition.eof": True,
    "allow.auto.create.topics": False,
}
_PRODUCER: Final = {
    "linger.ms": 0,
    "message.timeout.ms": 5_000,  # an older report says what the newer one will say
    "queue.buffering.max.messages": 100,
    "acks": 1,
}


class ConfluentLink:
    """One cluster's verdicts and reports."""

    def __init__(self, place: Place, prefix: str) -> None:
        self._brokers, self._latency = prefix + BROKERS.name, prefix + LATENCY.name
        self._key = b""
        self._partition = 0
        self._caught_up = self._is_closed = False
        how = {name: it for name, it in place.kafka.items() if _says_how(name)}
        self._way = Link.of_confluent(place.servers, how)
        self._troubles: list[str] = []
        wanted = {**soon(how), **how, "bootstrap.servers": place.servers}
        self._reading, self._writing = {**wanted, **_CONSUMER}, {**wanted, **_PRODUCER}
        self._start: TopicPartition | None = None
        """Where to read on; None: it was not opened."""
        self._heard_at = now_s()
        """When Kafka last said something of verdicts, if only that there are no more."""
        self._failing_since: float | None = None
        """Since when no report was written that was to be."""
        try:
            self._consumer = Consumer(self._reading, logger=KAFKA_LOGGER)
            self._producer = Producer(self._writing, logger=KAFKA_LOGGER)
        except (KafkaException, TypeError, ValueError) as error:
            raise ConfigurationError(f"kafka: {error}") from error

    def open(self, cluster: str) -> bool:
        """Follow a cluster's verdicts from their beginning."""
        try:
            found = self._consumer.list_topics(self._brokers, _ANSWER_S).topics[self._brokers]
        except KafkaException as error:
            raise TransportError(error.args[0].str()) from error
        if found.error is not None and found.error.code() == _UNKNOWN:
            return False
        if found.error is not None:
            raise TransportError(f"{self._brokers}: {found.error.str()}")
        self._key = cluster.encode()
        self._partition = partition_of(cluster, len(found.partitions))
        self._start = TopicPartition(self._brokers, self._partition, OFFSET_BEGINNING)
        self._consumer.assign([self._start])
        self._heard_at = now_s()
        return True

    def poll(self, timeout_ms: int) -> list[VerdictRecord]:
        """Wait for a verdict, then take what else is there."""
        self._producer.poll(0)
        self._renew()
        records: list[VerdictRecord] = []
        message = self._consumer.poll(timeout_ms / 1_000)
        for _ in range(_AT_ONCE):
            if message is None:
                break
            self._take(message, records)
            message = self._consumer.poll(0)
        return records

    def has_caught_up(self) -> bool:
        """Tell whether the end was reached once."""
        return self._caught_up

    def report(self, value: bytes) -> None:
        """Write a report; when the queue is full of them, Kafka is away and this one is lost."""
        try:
            self._producer.produce(
                self._latency, value, self._key, self._partition, on_delivery=self._delivered
            )
        except (BufferError, KafkaException) as error:
            KAFKA_LOGGER.debug("a report is lost: %s", error)

    def troubles(self) -> list[str]:
        """Return what is wrong."""
        told, self._troubles = self._troubles, []
        return told

    def close(self) -> None:
        """Disconnect, and let go of the clients."""
        if self._is_closed:
            return
        self._is_closed = True
        self._producer.flush(_PATIENCE_S)
        self._consumer.close()
        held: list[object] = [self._producer, self._consumer]
        del self._producer, self._consumer
        discard(held)

    def _renew(self) -> None:
        """Make a client anew that has done nothing for long: it may never again (fault H15)."""
        now = now_s()
        if self._start is not None and now - self._heard_at > _WORN_S:
            consumers: list[object] = [self._consumer]
            self._heard_at = now
            if (reader := successor(Consumer, self._reading, KAFKA_LOGGER.warning)) is not None:
                self._consumer = reader
                self._consumer.assign([self._start])
                discard(consumers)
        if self._failing_since is not None and now - self._failing_since > _WORN_S:
            producers: list[object] = [self._producer]
            self._failing_since = None
            if (writer := successor(Producer, self._writing, KAFKA_LOGGER.warning)) is not None:
                self._producer = writer
                discard(producers)

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        if error is None:
            self._failing_since = None
            return
        if self._failing_since is None:
            self._failing_since = now_s()
        if error.code() == _DENIED:
            self._troubles.append(denied(self._way, self._latency, "Write"))

    def _take(self, message: Message, records: list[VerdictRecord]) -> None:
        error = message.error()
        if error is None:
            self._heard(message, 1)
            kind, at = message.timestamp()
            appended = steady_ms() if kind == TIMESTAMP_NOT_AVAILABLE else at
            records.append(VerdictRecord(message.key(), message.value(), appended))
        elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its documented name
            self._heard(message, 0)
            self._caught_up = True
        elif error.code() == _DENIED:
            self._troubles.append(denied(self._way, self._brokers, "Read"))
        else:
            KAFKA_LOGGER.debug("verdicts: %s", error.str())

    def _heard(self, message: Message, further: int) -> None:
        offset = (message.offset() or 0) + further
        self._start = TopicPartition(self._brokers, self._partition, offset)
        self._heard_at = now_s()


def _says_how(name: str) -> bool:
    """Whether an option says how to connect."""
    return name.partition(".")[0] in _CONNECTING or name in _CONNECTING_TOO
