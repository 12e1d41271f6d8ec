"""The transport over confluent-kafka (librdkafka): the default, and the faster one.

librdkafka has threads of its own for the network, so `send` is out at once and `poll` returns on
the first record. Errors of the client arrive by callback, logs go to the logger "trimtab.kafka".
"""

from collections import deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from trimtab.clock import now_s
from trimtab.errors import ConfigurationError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import MEMBERS
from trimtab.session import Send
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_ends import EndFinder, Partition, Unanswered
from trimtab.transports.confluent_said import said
from trimtab.transports.confluent_succession import successor
from trimtab.transports.contract import (
    CaughtUp,
    Delivered,
    Event,
    Received,
    Trouble,
    Undelivered,
)
from trimtab.transports.diagnosis import Fault, Said, interrupted, unreachable
from trimtab.transports.link import Link
from trimtab.transports.progress import Progress
from trimtab.transports.rights import Operation, denied
from trimtab.transports.topics import FOLLOWED, LARGEST_BYTES, group_partition, missing, unusable

_CONNECT_S: Final = 5.0
"""One try to reach Kafka: long enough for a TLS handshake over an ocean."""
_AT_ONCE: Final = 1_000
"""Records taken in one poll: bounds the time until beats are looked after again."""
_AGAIN_S: Final = 1.0
"""Between two tries to replace a producer: each reads files, and is told of if it fails."""
_REMEMBERED: Final = 20
"""Errors that are kept to say why Kafka is not reached: some for each broker."""
_FAULTS: Final = {
    KafkaError._AUTHENTICATION: Fault.PASSWORD,  # noqa: SLF001 - documented names
    KafkaError.SASL_AUTHENTICATION_FAILED: Fault.PASSWORD,
    KafkaError._SSL: Fault.TLS,  # noqa: SLF001 - as above
}
_DENIED: Final = KafkaError.TOPIC_AUTHORIZATION_FAILED
_NO_NEWS: Final = {
    # A consumer looks for the coordinator of its group, also if it never commits: no right to do
    # that is no trouble.
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001 - each of them has been told
}
_RANK: Final = (Fault.PASSWORD, Fault.TLS, Fault.OTHER)
"""Which of several errors says why: the rest follows from it."""

_PRODUCER: Final = {
    "acks": "all",
    "enable.idempotence": True,  # beats and releases stay in order across retries
    "linger.ms": 0,  # a release is on the critical path of a hand-over
    "message.max.bytes": LARGEST_BYTES,  # the default is less than the largest beat
}
_CONSUMER: Final = {
    "group.id": "trimtab-member",  # demanded by the client; nothing is ever committed
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "earliest",  # when retention overtook us: what is old is ignored
    "enable.partition.eof": True,  # the end may be reached without a record: what is gone is past
    "allow.auto.create.topics": False,
    "fetch.error.backoff.ms": 100,
}


def soon(kafka: Mapping[str, Any]) -> dict[str, int]:
    """Have a client connect at once, and again within a second.

    The default for the longest pause, 10 s, is a whole session. Half of the shortest one, 100 ms by
    default, is what librdkafka waits between its first connection and that to a broker by its
    number. Not if the user chose one of the two: librdkafka refuses a shortest above the longest.
    """
    chosen = kafka.keys() & {"reconnect.backoff.ms", "reconnect.backoff.max.ms"}
    return {} if chosen else {"reconnect.backoff.ms": 20, "reconnect.backoff.max.ms": 1_000}


class ConfluentTransport:
    """A producer, a consumer, and a client that asks where the log ends."""

    def __init__(
        self,
        bootstrap_servers: str,
        prefix: str,
        delivery_timeout_ms: int,
        kafka: Mapping[str, Any],
    ) -> None:
        self._prefix = prefix
        self._events: deque[Event] = deque()
        self._partition = 0
        self._line = Lock()
        """Held to hand something to the producer, and to replace it."""
        self._followed: tuple[Partition, ...] = ()
        self._progress: Progress[Partition] = Progress({})
        shared = {**soon(kafka), "bootstrap.servers": bootstrap_servers, **kafka}
        self._met: deque[Said] = deque(maxlen=_REMEMBERED)
        """The last errors of the clients."""
        self._link = Link.of_confluent(bootstrap_servers, kafka)
        self._ends = EndFinder(shared, _CONNECT_S)
        hooks = {"error_cb": self._on_error}
        timeout = {"delivery.timeout.ms": delivery_timeout_ms}
        self._writing = _PRODUCER | timeout | shared | hooks
        self._reading = _CONSUMER | shared | hooks
        self._broken = False
        """Whether the producer will never write again."""
        self._again_s = 0.0
        """When one to replace it may be made."""
        self._sent, self._written = set[str](), set[str]()
        """To which topics something was to be written since the last `renew`, and was."""
        self._read = True  # to the end, since then
        self._wears_out = False
        """Whether `renew` was called."""
        try:
            self._producer = Producer(self._writing, logger=KAFKA_LOGGER)
            self._consumer = Consumer(self._reading, logger=KAFKA_LOGGER)
        except (KafkaException, TypeError, ValueError) as error:
            raise ConfigurationError(f"kafka: {said(error)}") from error

    def open(self, group: str) -> None:
        """Follow the group's partitions from where they end now."""
        self._met.clear()
        try:
            self._ends.prepare()  # to connect takes most of the time of a question
            topics = self._consumer.list_topics(timeout=_CONNECT_S).topics
            counts = {name: len(topic.partitions) for name, topic in topics.items()}
            self._name_missing(missing(self._prefix, counts))
            self._partition = group_partition(group, self._prefix, counts)
            self._followed = tuple((self._prefix + name, self._partition) for name in FOLLOWED)
            starts = self._ends.find(self._followed)
        except (KafkaException, Unanswered) as error:
            raise unreachable(self._link, self._said()) from error
        self._serve()
        self._events.clear()  # what was met on the way
        self._progress = Progress(starts)
        self._follow()

    def send(self, message: Send) -> None:
        """Hand a record to librdkafka."""
        ticket, topic = message.ticket, self._prefix + message.topic
        self._sent.add(topic)

        def report(error: KafkaError | None, _message: Message) -> None:
            if error is None:
                self._written.add(topic)
            self._events.append(
                Delivered(ticket)
                if error is None
                else Undelivered(ticket, self._worded(error, topic, "Write"))
            )

        try:
            with self._line:
                self._producer.produce(
                    topic, message.value, message.key, self._partition, on_delivery=report
                )
        except (BufferError, KafkaException) as error:
            self._events.append(Undelivered(ticket, said(error)))

    def poll(self, timeout_ms: int) -> list[Event]:
        """Wait for a record, then take what else is there."""
        if self._wears_out:
            self._replace()
        self._serve()
        message = self._consumer.poll(timeout_ms / 1_000)
        for _ in range(_AT_ONCE):
            if message is None:
                break
            self._take(message)
            message = self._consumer.poll(0)
        self._serve()
        self._look_for_end()
        events = list(self._events)
        self._events.clear()
        return events

    def find_end(self, at: int) -> None:
        """Ask for the ends; the answer is looked at by `poll`."""
        self._ends.ask(at, self._followed)

    def renew(self) -> None:
        """Have `poll` replace what has done nothing since it was asked for that the last time."""
        self._wears_out = True

    def close(self, timeout_ms: int) -> None:
        """Flush and disconnect."""
        with suppress(KafkaException):  # it has given up for good
            self._producer.flush(timeout_ms / 1_000)
        self._consumer.close()

    def _replace(self) -> None:
        """Make anew what may never do anything again (`consuming.confluent_stall` says why)."""
        self._broken |= not self._sent <= self._written
        if not self._read:
            held: list[object] = [self._consumer]
            if (made := successor(Consumer, self._reading, self._on_error)) is not None:
                self._consumer = made
                self._follow()
                discard(held)
        self._sent, self._written = set(), set()
        self._wears_out = self._read = False

    def _follow(self) -> None:
        self._consumer.assign([TopicPartition(*it, at) for it, at in self._progress.places()])

    def _take(self, message: Message) -> None:
        error = message.error()
        topic, partition, offset = message.topic(), message.partition(), message.offset()
        if topic is None or partition is None or offset is None:
            if error is not None:
                self._on_error(error)
        elif error is None:
            self._progress.reach((topic, partition), offset + 1)
            name = topic.removeprefix(self._prefix)
            self._events.append(Received(name, message.key(), message.value()))
        elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its documented name
            self._progress.reach((topic, partition), offset)
        else:
            self._events.append(Trouble(self._worded(error, topic, "Read")))

    def _look_for_end(self) -> None:
        """Take the answer to `find_end`, once it is complete."""
        try:
            ends = self._ends.answer()
        except Unanswered as error:
            self._events.append(Trouble(f"the log's end is unknown: {error}"))
        else:
            if ends is not None:
                self._progress.aim(ends.at, ends.offsets)
        at_end = self._progress.reached()
        if at_end is not None:
            self._read = True
            self._events.append(CaughtUp(at_end))

    def _name_missing(self, topics: Iterable[str]) -> None:
        """Raise TransportError if there are any; Kafka lists only those that one may describe."""
        found: dict[bool, list[str]] = {True: [], False: []}
        for topic in topics:
            error = self._consumer.list_topics(topic, _CONNECT_S).topics[topic].error
            found[error is not None and error.code() == _DENIED].append(topic)
        if any(found.values()):
            raise unusable(found[False], found[True], self._prefix, self._link)

    def _said(self) -> Said | None:
        """What the clients have met while nothing was polled; the reason, as far as they know."""
        self._serve()
        self._consumer.poll(0)
        return min(self._met, key=lambda it: _RANK.index(it.fault), default=None)

    def _serve(self) -> None:
        """Have the producer report; replace one that has given up for good: it raises then."""
        try:
            self._producer.poll(0)
        except KafkaException as error:
            self._on_error(error.args[0])
        if self._broken and now_s() >= self._again_s:
            self._replace_producer()

    def _replace_producer(self) -> None:
        """Put a new producer in the place of a broken one, if one can be made now."""
        self._again_s = now_s() + _AGAIN_S
        if (made := successor(Producer, self._writing, self._on_error)) is None:
            return
        with self._line:  # or what another thread sends now would have no report, ever
            broken, self._producer = self._producer, made
        with suppress(KafkaException):
            broken.purge()
            broken.poll(0)
        self._broken, held = False, list[object]([broken])
        del broken
        discard(held)

    def _on_error(self, error: KafkaError) -> None:
        if error.code() in _NO_NEWS:
            return
        self._broken |= error.fatal()
        if error.code() == KafkaError.CLUSTER_AUTHORIZATION_FAILED:
            # To get a producer's id it is enough to be allowed to write to any topic (KIP-679).
            text = denied(self._link, self._prefix + MEMBERS.name, "Write")
        else:
            said = Said(_FAULTS.get(error.code(), Fault.OTHER), error.str())
            self._met.append(said)
            text = interrupted(self._link, said)
        self._events.append(Trouble(text))

    def _worded(self, error: KafkaError, topic: str, operation: Operation) -> str:
        """What went wrong with a topic."""
        if error.code() == _DENIED:
            return denied(self._link, topic, operation)
        return error.str()
