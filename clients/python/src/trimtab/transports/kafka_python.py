"""The transport over kafka-python: no C code, for places where librdkafka cannot go.

A client of this library that cannot connect waits for seconds, says nothing of the reason, and
leaves a thread behind. So the listener is asked first, and a client that fails is closed here. Its
producer has a thread of its own, whose reports arrive through a queue. A request for the log's
end waits for the answer, so it has a short timeout.
"""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, LeaderNotAvailableError, TopicAuthorizationFailedError

from trimtab.errors import ConfigurationError, TransportError
from trimtab.session import Send
from trimtab.transports.contract import (
    CaughtUp,
    Delivered,
    Event,
    Received,
    Trouble,
    Undelivered,
)
from trimtab.transports.diagnosis import Fault, Said, fitting, interrupted
from trimtab.transports.kafka_python_connecting import REFUSALS, connected, described
from trimtab.transports.kafka_python_unread import forget
from trimtab.transports.link import Link
from trimtab.transports.progress import Progress
from trimtab.transports.rights import denied
from trimtab.transports.topics import (
    FOLLOWED,
    LARGEST_BYTES,
    TOUCHED,
    group_partition,
    missing,
    unusable,
)

_ANSWER_MS: Final = 1_000
"""How long the only thread waits for an answer: a fraction of the shortest useful session."""

_SHARED: Final = {
    "reconnect_backoff_max_ms": 1_000,  # the default, 30 s, is longer than a session
    "bootstrap_timeout_ms": 5_000,  # one try to connect; the engine tries again
}
IN_ORDER: Final = {
    # A record that is sent again stays before those that follow it.
    "max_in_flight_requests_per_connection": 1,
    # An idempotent producer of kafka-python 3.0 sends nothing any more once it has given up a
    # record that it had sent: it forgets its id, and asks for no other.
    "enable_idempotence": False,
}
_PRODUCER: Final = {
    **IN_ORDER,
    "acks": "all",
    "linger_ms": 0,  # a release is on the critical path of a hand-over
    "max_request_size": LARGEST_BYTES,  # the default is less than the largest beat with its key
    "max_block_ms": _ANSWER_MS,
    "allow_auto_create_topics": False,
}
_CONSUMER: Final = {
    "group_id": None,  # nothing is ever committed
    "enable_auto_commit": False,
    "auto_offset_reset": "earliest",  # when retention overtook us: what is old is ignored
    "allow_auto_create_topics": False,
}


class KafkaPythonTransport:
    """A producer and a consumer, connected by `open`."""

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
        self._progress: Progress[Any] = Progress({})
        self._producer: Any = None
        self._consumer: Any = None
        options = {name.replace(".", "_"): value for name, value in kafka.items()}
        self._link = Link.of_kafka_python(bootstrap_servers, options)
        self._shared = {**_SHARED, "bootstrap_servers": [*self._link.servers], **options}
        self._timeouts = {
            "delivery_timeout_ms": delivery_timeout_ms,
            "request_timeout_ms": delivery_timeout_ms,  # the client wants it no longer than that
        }

    def open(self, group: str) -> None:
        """Connect, and follow the group's partitions from where they end now."""
        if self._producer is None:
            fitting(self._link)
        try:
            self._consumer = self._consumer or connected(
                KafkaConsumer, _CONSUMER | self._shared, self._link
            )
            self._producer = self._producer or connected(
                KafkaProducer, _PRODUCER | self._timeouts | self._shared, self._link
            )
            names = [self._prefix + name for name in TOUCHED]
            found = {name: self._consumer.partitions_for_topic(name) or () for name in names}
            counts = {name: len(partitions) for name, partitions in found.items()}
            self._name_missing(missing(self._prefix, counts))
            self._partition = group_partition(group, self._prefix, counts)
            followed = [TopicPartition(self._prefix + name, self._partition) for name in FOLLOWED]
            starts = self._ends(followed)
            for name in names:  # or the first record to each waits for that: in a guard, the last
                self._producer.partitions_for(name)
        except REFUSALS as error:
            raise ConfigurationError(f"kafka: {error}") from error
        except KafkaError as error:
            raise TransportError(interrupted(self._link, Said(Fault.OTHER, str(error)))) from error
        self._consumer.assign(followed)
        for partition, offset in starts.items():
            self._consumer.seek(partition, offset)
        self._progress = Progress(starts)

    def send(self, message: Send) -> None:
        """Hand a record to the producer's thread."""
        topic = self._prefix + message.topic
        undelivered = partial(self._undelivered, message.ticket, topic)
        try:
            future = self._producer.send(
                topic,
                key=message.key,
                value=message.value,
                partition=self._partition,
            )
        except KafkaError as error:
            undelivered(error)
            return
        future.add_callback(partial(self._delivered, message.ticket))
        future.add_errback(undelivered)

    def poll(self, timeout_ms: int) -> list[Event]:
        """Wait for records, and collect the producer's reports."""
        try:
            batches = self._consumer.poll(timeout_ms=timeout_ms)
        except TopicAuthorizationFailedError as error:
            forget(self._consumer)
            topics = sorted(error.args[0]) if error.args else [self._prefix + FOLLOWED[0]]
            self._events.extend(Trouble(denied(self._link, it, "Read")) for it in topics)
            batches = {}
            time.sleep(timeout_ms / 1_000)  # else it is asked, and refused, again at once
        except KafkaError as error:
            forget(self._consumer)
            self._events.append(Trouble(interrupted(self._link, Said(Fault.OTHER, str(error)))))
            batches = {}
            time.sleep(timeout_ms / 1_000)  # what it cannot read it reads again at once
        for partition, records in batches.items():
            name = partition.topic.removeprefix(self._prefix)
            for record in records:
                self._events.append(Received(name, record.key, record.value))
        known = self._consumer._subscription.assignment  # noqa: SLF001 - `position` waits for Kafka
        for partition, it in known.items():
            if it.position is not None:
                self._progress.reach(partition, it.position.offset)
        at_end = self._progress.reached()
        if at_end is not None:
            self._events.append(CaughtUp(at_end))
        return [self._events.popleft() for _ in range(len(self._events))]

    def find_end(self, at: int) -> None:
        """Ask for the ends, and wait for the answer."""
        try:
            self._progress.aim(at, self._ends(list(self._consumer.assignment())))
        except KafkaError as error:
            self._events.append(Trouble(f"the log's end is unknown: {error}"))

    def renew(self) -> None:
        """It connects anew by itself."""

    def close(self, timeout_ms: int) -> None:
        """Flush and disconnect."""
        if self._producer is not None:
            close_producer(self._producer, timeout_ms / 1_000)
        if self._consumer is not None:
            self._consumer.close(autocommit=False)

    def _ends(self, partitions: Sequence[Any]) -> dict[Any, int]:
        """Ask where these end: all of them, or it is told why not."""
        try:
            ends: dict[Any, int] = self._consumer.end_offsets(partitions, timeout_ms=_ANSWER_MS)
        except KeyError as error:  # kafka-python 3.0 has asked nobody, and misses the answer
            raise LeaderNotAvailableError(str(error)) from error
        return ends

    def _name_missing(self, topics: Sequence[str]) -> None:
        """Raise TransportError if there are any; Kafka lists only those that one may describe."""
        if topics:
            states = described(self._shared, self._link, topics)
            hidden = [it for it in topics if states[it] is TopicAuthorizationFailedError]
            absent = [it for it in topics if it not in hidden]
            raise unusable(absent, hidden, self._prefix, self._link)

    def _delivered(self, ticket: int, _metadata: object) -> None:
        self._events.append(Delivered(ticket))

    def _undelivered(self, ticket: int, topic: str, error: BaseException) -> None:
        is_denied = isinstance(error, TopicAuthorizationFailedError)
        reason = denied(self._link, topic, "Write") if is_denied else str(error)
        self._events.append(Undelivered(ticket, reason))


def close_producer(producer: Any, timeout_s: float) -> None:  # noqa: ANN401 - it ships no types
    """Send what can be sent in time, give up the rest, and disconnect.

    Its own ``close`` raises when something is left, and its thread goes on for ever.
    """
    with suppress(KafkaError):
        producer.flush(timeout_s)
    producer._sender.force_close()  # noqa: SLF001 - nothing public ends it
    with suppress(KafkaError):
        producer.close(timeout_s)
