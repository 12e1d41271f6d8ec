"""Sending with confluent-kafka (librdkafka).

A message without a key goes to the partition whose turn it is, and librdkafka never moves it from
there: it stays in that broker's queue until the broker takes it or its `message.timeout.ms` is
over. That is why a try gets only a part of the deadline. A message with a key keeps librdkafka's
own partitioner, and one try that may last until the deadline: it goes by a client of its own,
because a timeout is a client's. Retries within a try, order and idempotence are librdkafka's
business as ever.

A report that says "timed out" does not say whether the message was written: one that was still
waiting was not, one that was under way may have been, and then its second copy is a duplicate.

Loaded by `choose`.
"""

import threading
import time
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from trimtab.clock import steady_ms
from trimtab.errors import ConfigurationError, TransportError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.selector import BrokerSelector
from trimtab.sending.broker_times import BrokerTimes
from trimtab.sending.confluent_callbacks import (
    Attempt,
    Callback,
    DeliveryCallbacks,
    callbacks,
    took,
)
from trimtab.sending.confluent_link import ConfluentLink
from trimtab.sending.contract import CLOSED, Link, Place, Send, Sender
from trimtab.sending.dispatch import ANYWHERE, Dispatch, Hands, Leaders, broker_name, is_stream
from trimtab.sending.given_up import GivenUp
from trimtab.sending.lane import Lane
from trimtab.sending.patience import Patience
from trimtab.sending.telling import Here, tell
from trimtab.transports.confluent import soon

Payload = str | bytes | None
Headers = dict[str, Payload] | list[tuple[str, Payload]] | None
_ANSWER_S: Final = 2.0
"""How long the keeper waits for metadata; it may have been asked of a broker that hangs."""

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
_PURGED: Final = {KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT}  # noqa: SLF001 - its names
"""What was given up on closing."""


class ConfluentSender:
    """The application's messages."""

    def __init__(self, place: Place, selector: BrokerSelector, patience: Patience) -> None:
        self.dispatch: Dispatch[DeliveryCallbacks] = Dispatch(selector, self._at_hand)
        self._patience = patience
        self._given_up = GivenUp()
        self._config = {**soon(place.kafka), "bootstrap.servers": place.servers, **place.kafka}
        self.here = Here()
        self._free = Lane(self._client(patience.try_ms), self._tick, self.here)
        self._keyed: Lane | None = None
        self._lanes = [self._free]
        """Until they are let go of."""
        self._lock = threading.Lock()
        self._keyed_count = 0
        self._purged = 0
        self._is_closing = False
        self.send = self._make_send()

    def _make_send(self) -> Send:
        """Make what runs for every message: a closure, for each look-up in `self` would count."""
        turns, send_keyed, answered = self.dispatch.turns, self._send_keyed, self._answered
        produce, serve = self._free.client.produce, self._free.serve

        def send(
            topic: str,
            value: Payload = None,
            key: Payload = None,
            on_delivery: Callback | None = None,
            headers: Headers = None,
        ) -> None:
            if key is not None:
                send_keyed(topic, value, key, on_delivery, headers)
                return
            partition, (delivered, told, times), is_to_poll = turns[topic]()
            if headers is not None:
                attempt = Attempt(time.monotonic(), 1, on_delivery, copy(headers))
                heard: Callback = partial(answered, times, attempt)
                produce(topic, value, None, partition, heard, headers=headers)
            elif on_delivery is None:
                produce(topic, value, None, partition, delivered)
            else:
                try:
                    heard = told[on_delivery]
                except TypeError:  # it has no hash
                    heard = told.make(on_delivery)
                produce(topic, value, None, partition, heard)
            if is_to_poll:
                serve()

        return send

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
        numbers = range(max(leaders, default=-1) + 1)
        return Leaders([broker_name(leaders.get(number)) for number in numbers], addresses)

    def flush(self, timeout_s: float) -> int:
        """Wait until all is settled, also what callbacks of one client send by the other."""
        end = time.monotonic() + timeout_s
        while True:
            for lane in self._lanes:
                lane.flush(end - time.monotonic())
            left = max(self._unsettled() for _ in range(2))  # in one walk it might be where we were
            if not left or time.monotonic() >= end:
                return left

    def close(self, timeout_s: float) -> int:
        """Settle what can be settled; purge the rest, which is reported as such."""
        try:
            self.flush(timeout_s)
        finally:
            self._is_closing = True
            self.dispatch.close(CLOSED)
            with ExitStack() as ending:  # each, whatever a callback of another's raises
                ending.callback(self._given_up.tell_all)  # the last one
                for lane in self._lanes:
                    ending.callback(lane.close)
        return self._purged

    def disconnect(self) -> None:
        """Let go of the clients, which nobody needs any more."""
        self.send = self.dispatch.turns.refuse
        while self._lanes:
            self._lanes.pop().discard()

    def _unsettled(self) -> int:
        return sum(len(lane.client) for lane in self._lanes)

    def _client(self, timeout_ms: int) -> Producer:
        timeout = {"message.timeout.ms": timeout_ms}
        try:
            return Producer({**self._config, **timeout}, logger=KAFKA_LOGGER)
        except (KafkaException, TypeError, ValueError) as error:
            raise ConfigurationError(f"kafka: {error}") from error

    def _at_hand(self, times: BrokerTimes) -> Hands[DeliveryCallbacks]:
        return callbacks(times, self._failed)

    def _answered(
        self, times: BrokerTimes, attempt: Attempt, error: KafkaError | None, message: Message
    ) -> None:
        """Hear of a message of which something had to be kept."""
        if error is not None:
            self._failed(times, attempt, error, message)
            return
        times.note(took(message))
        if attempt.on_delivery is not None:
            tell(attempt.on_delivery, None, message)

    def _failed(
        self, times: BrokerTimes, attempt: Attempt, error: KafkaError, message: Message
    ) -> None:
        """Try another broker while there is time; else say so."""
        if error.code() in _BROKERS_FAULT:
            times = self.dispatch.whose(times, message.topic() or "", message.partition())
            times.note_failure(took(message))
            now_s = time.monotonic()
            allowed = self._patience.allows(attempt.tries, attempt.begun_s, now_s)
            allowed = allowed and not self._is_closing  # it would be behind the purge
            if allowed and self._try_again(times, attempt, message):
                return
        self._count_purged(error)
        if attempt.on_delivery is not None:
            tell(attempt.on_delivery, error, message)
        else:
            self._given_up.add(message.topic() or "", attempt.tries, error.str())

    def _count_purged(self, error: KafkaError) -> None:
        """Count what closing gives up, by its reports: what `flush` returns may be too much."""
        if error.code() in _PURGED:
            with self._lock:
                self._purged += 1

    def _try_again(self, times: BrokerTimes, attempt: Attempt, message: Message) -> bool:
        topic = message.topic() or ""
        turn = self.dispatch.again(topic, times.broker, steady_ms())
        if turn is None:
            return False
        partition, (_, _, other), _ = turn
        heard = partial(self._answered, other, replace(attempt, tries=attempt.tries + 1))
        produce, value = self._free.client.produce, message.value()
        try:
            produce(topic, value, None, partition, heard, headers=attempt.headers)
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
        self.dispatch.expect(topic)
        lane = self._keyed or self._open_keyed()
        heard = partial(self._settled, on_delivery)
        lane.client.produce(topic, value, key, ANYWHERE, heard, headers=headers)
        lane.serve()

    def _open_keyed(self) -> Lane:
        """Make the client of messages with a key, once: several threads may be the first."""
        with self._lock:
            if self._keyed is None:
                client = self._client(self._patience.whole_ms)
                self._keyed = Lane(client, self._tick_keyed, self.here)
                self._keyed.start()
                self._lanes.append(self._keyed)
            return self._keyed

    def _tick(self, now: int, elapsed_s: float) -> bool:
        self._given_up.tell()
        return self.dispatch.tick(now, elapsed_s)

    def _tick_keyed(self, _now: int, elapsed_s: float) -> bool:
        count, self._keyed_count = self._keyed_count, 0
        return is_stream(count, elapsed_s)

    def _settled(
        self, on_delivery: Callback | None, error: KafkaError | None, message: Message
    ) -> None:
        """Hear of a message with a key: it goes nowhere else, but it counts for its broker."""
        self._keyed_count += 1
        times = self.dispatch.times_of(message.topic() or "", message.partition())
        if times is not None and error is None:
            times.note(took(message))
        elif times is not None and error is not None and error.code() in _BROKERS_FAULT:
            times.note_failure(took(message))
        if error is not None:
            self._count_purged(error)
        if on_delivery is not None:
            tell(on_delivery, error, message)
        elif error is not None:
            self._given_up.add(message.topic() or "", 1, error.str())


def make_sender(place: Place, selector: BrokerSelector, patience: Patience) -> Sender:
    """Make what sends an application's messages."""
    return ConfluentSender(place, selector, patience)


def make_link(place: Place, prefix: str) -> Link:
    """Make the way to the controller."""
    return ConfluentLink(place, prefix)
