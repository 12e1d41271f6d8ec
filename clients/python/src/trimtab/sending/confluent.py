"""Sending with confluent-kafka (librdkafka).

A message without a key goes to the partition whose turn it is, and librdkafka never moves it from
there: it stays in that broker's queue until the broker takes it or its `message.timeout.ms` is
over. That is why a try gets only a part of the deadline. A message with a key keeps librdkafka's
own partitioner and the whole deadline: it goes by a client of its own, because a timeout is a
client's. Retries within a try, order and idempotence are librdkafka's business as ever.

A report that says "timed out" does not say whether the message was written: one that was still
waiting was not, one that was under way may have been, and then its second copy is a duplicate.

Loaded by `choose`. Its one rule: what runs for every message is short enough to be seen at once.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from trimtab.clock import wall_ms
from trimtab.errors import ConfigurationError, TransportError
from trimtab.selector import BrokerSelector
from trimtab.sending.confluent_post import ConfluentPost
from trimtab.sending.contract import Place, Post, Sender
from trimtab.sending.dispatch import ANYWHERE, Dispatch, Leaders
from trimtab.sending.given_up import GivenUp
from trimtab.sending.lane import LOGGER, Lane
from trimtab.sending.ledger import Ledger
from trimtab.sending.patience import Patience

Callback = Callable[[KafkaError | None, Message], None]
Payload = str | bytes | None
Headers = dict[str, Payload] | list[tuple[str, Payload]] | None
_AtHand = tuple[Callback, Callable[[Callback, KafkaError | None, Message], None], Ledger]
"""Of a broker: what hears of a delivery, what also tells the application, and its account."""

_ANSWER_S: Final = 2.0
"""How long the keeper waits for metadata; it may have been asked of a broker that hangs."""
_DEFAULTS: Final = {"reconnect.backoff.max.ms": 1_000}  # 10 s would be how long a return is missed

_BROKERS_FAULT: Final = {
    KafkaError._MSG_TIMED_OUT,  # noqa: SLF001 - its documented name
    KafkaError._TIMED_OUT,  # noqa: SLF001 - its documented name
    KafkaError._TIMED_OUT_QUEUE,  # noqa: SLF001 - its documented name
    KafkaError._TRANSPORT,  # noqa: SLF001 - its documented name
    KafkaError.BROKER_NOT_AVAILABLE,
    KafkaError.KAFKA_STORAGE_ERROR,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NETWORK_EXCEPTION,
    KafkaError.NOT_ENOUGH_REPLICAS,
    KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.REQUEST_TIMED_OUT,
}
"""What another broker may do better. The rest is wrong with the message, or with the producer."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What is known of a message beside what its report says."""

    begun_s: float
    tries: int
    on_delivery: Callback | None
    headers: Headers
    """A report does not carry them."""


class ConfluentSender:
    """The application's messages."""

    def __init__(self, place: Place, selector: BrokerSelector, patience: Patience) -> None:
        self.dispatch: Dispatch[_AtHand] = Dispatch(selector, self._at_hand)
        self._turns = self.dispatch.turns
        self._patience = patience
        self._given_up = GivenUp()
        self._config = {**_DEFAULTS, "bootstrap.servers": place.servers, **place.kafka}
        self._free = Lane(self._client(patience.try_ms), self.dispatch.tick)
        self._keyed: Lane | None = None
        self._produce = self._free.client.produce
        self._poll = self._free.client.poll

    def send(
        self,
        topic: str,
        value: Payload = None,
        key: Payload = None,
        on_delivery: Callback | None = None,
        headers: Headers = None,
    ) -> None:
        """Hand a message to librdkafka.

        Args:
            topic: Where it goes.
            value: What it says.
            key: With one, it goes where librdkafka's partitioner sends it.
            on_delivery: Called once, with the error (or None) and the message, when it is decided
                what became of it: on the producer's thread, or on one that is just sending.
            headers: As librdkafka takes them.

        Raises:
            BufferError: librdkafka's queue is full.
            KafkaException: librdkafka does not take the message.
        """
        if key is not None:
            self._send_keyed(topic, value, key, on_delivery, headers)
            return
        partition, (delivered, told, ledger) = next(self._turns[topic])
        if headers is not None:
            attempt = _Attempt(time.monotonic(), 1, on_delivery, headers)
            heard = partial(self._answered, ledger, attempt)
            self._produce(topic, value, None, partition, heard, headers=headers)
        elif on_delivery is None:
            self._produce(topic, value, None, partition, delivered)
        else:
            self._produce(topic, value, None, partition, partial(told, on_delivery))
        if self._free.busy:
            self._poll(0)

    def start(self) -> None:
        """Begin to serve reports."""
        self._free.start()

    def cluster(self) -> str:
        """Ask what Kafka calls itself."""
        try:
            return self._free.client.cluster_id(_ANSWER_S)
        except KafkaException as error:
            raise TransportError(error.args[0].str()) from error

    def leaders(self, topic: str) -> Leaders:
        """Ask who leads a topic."""
        try:
            answer = self._free.client.list_topics(topic, _ANSWER_S)
        except KafkaException as error:
            raise TransportError(error.args[0].str()) from error
        found = answer.topics[topic]
        if found.error is not None and found.error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise TransportError(found.error.str())
        leaders = {number: it.leader for number, it in found.partitions.items()}
        addresses = {str(number): f"{it.host}:{it.port}" for number, it in answer.brokers.items()}
        brokers = [_name(leaders.get(number)) for number in range(max(leaders, default=-1) + 1)]
        return Leaders(brokers, addresses)

    def flush(self, timeout_s: float) -> int:
        """Wait until all is settled."""
        end = time.monotonic() + timeout_s
        return sum(lane.flush(end - time.monotonic()) for lane in self._lanes())

    def close(self, timeout_s: float) -> int:
        """Settle what can be settled; purge the rest, which is reported as such."""
        left = self.flush(timeout_s)
        for lane in self._lanes():
            lane.close()
        return left

    def _lanes(self) -> list[Lane]:
        return [self._free] if self._keyed is None else [self._free, self._keyed]

    def _client(self, timeout_ms: int) -> Producer:
        timeout = {"message.timeout.ms": timeout_ms}
        try:
            return Producer({**self._config, **timeout}, logger=LOGGER)
        except (KafkaException, TypeError, ValueError) as error:
            raise ConfigurationError(f"kafka: {error}") from error

    def _at_hand(self, ledger: Ledger) -> _AtHand:
        """Make what hears of first tries: nothing is kept of a message until it has failed."""
        note = ledger.note

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                note(message.latency())  # type: ignore[arg-type]  # a report always has it
            else:
                self._failed(ledger, _first(message, None), error, message)

        def told(on_delivery: Callback, error: KafkaError | None, message: Message) -> None:
            if error is None:
                note(message.latency())  # type: ignore[arg-type]  # a report always has it
                on_delivery(None, message)
            else:
                self._failed(ledger, _first(message, on_delivery), error, message)

        return delivered, told, ledger

    def _answered(
        self, ledger: Ledger, attempt: _Attempt, error: KafkaError | None, message: Message
    ) -> None:
        """Hear of a message of which something had to be kept."""
        if error is not None:
            self._failed(ledger, attempt, error, message)
            return
        ledger.note(_took(message))
        if attempt.on_delivery is not None:
            attempt.on_delivery(None, message)

    def _failed(
        self, ledger: Ledger, attempt: _Attempt, error: KafkaError, message: Message
    ) -> None:
        """Try another broker while there is time; else say so."""
        if error.code() in _BROKERS_FAULT:
            ledger.note_failure(_took(message))
            now_s = time.monotonic()
            allowed = self._patience.allows(attempt.tries, attempt.begun_s, now_s)
            if allowed and self._try_again(ledger, attempt, message):
                return
        if attempt.on_delivery is not None:
            attempt.on_delivery(error, message)
        else:
            self._given_up.add(message.topic() or "", attempt.tries, error.str())

    def _try_again(self, ledger: Ledger, attempt: _Attempt, message: Message) -> bool:
        topic = message.topic() or ""
        turn = self.dispatch.again(topic, ledger.broker, wall_ms())
        if turn is None:
            return False
        partition, (_, _, other) = turn
        heard = partial(self._answered, other, replace(attempt, tries=attempt.tries + 1))
        try:
            self._produce(topic, message.value(), None, partition, heard, headers=attempt.headers)
        except (BufferError, KafkaException):
            return False
        return True

    def _send_keyed(
        self,
        topic: str,
        value: Payload,
        key: Payload,
        on_delivery: Callback | None,
        headers: Headers,
    ) -> None:
        lane = self._keyed
        if lane is None:
            lane = self._keyed = Lane(self._client(self._patience.deadline_ms), None)
            lane.start()
        heard = partial(self._settled, on_delivery)
        lane.client.produce(topic, value, key, ANYWHERE, heard, headers=headers)
        if self._free.busy:
            lane.client.poll(0)

    def _settled(
        self, on_delivery: Callback | None, error: KafkaError | None, message: Message
    ) -> None:
        """Hear of a message with a key: nowhere else to go, but its broker's account grows."""
        ledger = self.dispatch.ledger_of(message.topic() or "", message.partition())
        if ledger is not None and error is None:
            ledger.note(_took(message))
        elif ledger is not None and error is not None and error.code() in _BROKERS_FAULT:
            ledger.note_failure(_took(message))
        if on_delivery is not None:
            on_delivery(error, message)
        elif error is not None:
            self._given_up.add(message.topic() or "", 1, error.str())


def _first(message: Message, on_delivery: Callback | None) -> _Attempt:
    return _Attempt(time.monotonic() - (_took(message)), 1, on_delivery, None)


def _took(message: Message) -> float:
    return message.latency() or 0.0


def _name(leader: int | None) -> str | None:
    return None if leader is None or leader < 0 else str(leader)


def make_sender(place: Place, selector: BrokerSelector, patience: Patience) -> Sender:
    """Make what sends an application's messages."""
    return ConfluentSender(place, selector, patience)


def make_post(place: Place, prefix: str) -> Post:
    """Make the way to the controller."""
    return ConfluentPost(place, prefix)
