"""Sending with kafka-python: no C code, for places where librdkafka cannot go.

The same as `confluent`, but its reports come on a thread of its own and carry nothing of the
message, so each is kept until it is settled. A retry waits for the next tick, since that thread may
not wait. The first message to an unknown topic waits for metadata, as ever (`max_block_ms`); of a
callback on that thread it is refused.

Loaded by `choose`.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from kafka.errors import KafkaError, RetriableError

from trimtab.callbacks import mistaken
from trimtab.clock import steady_ms
from trimtab.selector import BrokerSelector
from trimtab.sending.broker_times import BrokerTimes
from trimtab.sending.contract import CLOSED, Link, Place, Sender
from trimtab.sending.dispatch import ANYWHERE, Dispatch, Hands, Leaders
from trimtab.sending.given_up import GivenUp
from trimtab.sending.kafka_python_clients import Clients, refuse_to_wait
from trimtab.sending.kafka_python_link import KafkaPythonLink
from trimtab.sending.kafka_python_questions import cluster_id, leaders_of
from trimtab.sending.patience import Patience
from trimtab.sending.telling import Here
from trimtab.transports.kafka_python import close_producer

_Untyped = Any
"""What comes from kafka-python, which ships no types."""
Callback = Callable[[Exception | None, _Untyped], object]

_TICK_S: Final = 0.05
"""How late a verdict may be noticed by the messages, and how long a second try waits."""
_CLOSE_S: Final = 1.0
"""For disconnecting, once nothing is to be waited for."""
_UNSETTLED_MAX: Final = 100_000
"""As librdkafka's `queue.buffering.max.messages`; this client (3.0) has no bound of its own."""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A message that is not settled."""

    topic: str
    value: bytes | None
    headers: _Untyped
    """A copy: who sent them may change them before another try."""
    on_delivery: Callback | None
    begun_s: float
    sent_s: float
    tries: int = 1
    error: Exception | None = None
    """What the last try has met."""


class KafkaPythonSender:
    """The application's messages."""

    def __init__(self, place: Place, selector: BrokerSelector, patience: Patience) -> None:
        self.dispatch: Dispatch[BrokerTimes] = Dispatch(selector, _hands)
        self._turns = self.dispatch.turns
        self.here = Here()
        self._patience = patience
        self._given_up = GivenUp()
        self._place = place
        self._clients = Clients(place, patience)
        self._again: deque[tuple[BrokerTimes, _Pending]] = deque()
        self._unsettled = 0
        self._lost = 0
        """By the end, as far as that is known."""
        self._lock = threading.Lock()
        """Of the counts: messages are sent and settled by any thread."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trimtab-tries", daemon=True)

    def send(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        on_delivery: Callback | None = None,
        headers: _Untyped = None,
    ) -> None:
        """Hand a message to kafka-python.

        Args:
            topic: Where it goes.
            value: What it says.
            key: With one, it goes where kafka-python's partitioner sends it.
            on_delivery: Called once, with the error and None, or None and the metadata, when it is
                decided what became of the message: on the producer's threads.
            headers: As kafka-python takes them.

        Raises:
            ConfigurationError: A callback sends to a topic that its client does not know yet.
            KafkaTimeoutError: The topic is unknown.
            BufferError: Too many messages are not settled.
        """
        if self._unsettled >= _UNSETTLED_MAX:
            raise BufferError(f"send: {_UNSETTLED_MAX} messages are not settled")
        now = time.monotonic()
        pending = _Pending(topic, value, copy(headers), on_delivery, now, now)
        if key is not None:
            self._send_keyed(pending, key)
            return
        partition, times, _ = self._turns[topic]()
        refuse_to_wait(self._clients.free, topic, "without a key")
        self._hand_over(partition, times, pending)

    def start(self) -> None:
        """Begin to look after what was reported."""
        self._thread.start()

    def cluster(self) -> str:
        """Ask what Kafka calls itself."""
        return cluster_id(self._place)

    def leaders(self, topic: str) -> Leaders:
        """Ask who leads a topic."""
        return leaders_of(topic, self._clients.free)

    def flush(self, timeout_s: float) -> int:
        """Wait until all is settled, second tries too."""
        end = time.monotonic() + timeout_s
        while self._unsettled and time.monotonic() < end:
            for client in self._clients:
                with suppress(KafkaError):  # the time is over, which the count says
                    client.flush(max(0.0, end - time.monotonic()))
            time.sleep(max(0.0, min(end - time.monotonic(), _TICK_S)) if self._unsettled else 0)
        return self._unsettled

    def close(self, timeout_s: float) -> int:
        """Settle what can be settled; the rest is reported as failed."""
        self.flush(timeout_s)
        self._closing.set()
        self.dispatch.close(CLOSED)
        if self._thread.ident is not None:
            self._thread.join()
        for client in self._clients:
            close_producer(client, _CLOSE_S)
        while self._again:
            self._settle(self._again.popleft()[1], KafkaError("the producer was closed"), None)
        self._given_up.tell_all()
        with self._lock:  # a client's thread may outlive its end, and still settle something
            return self._lost + self._unsettled

    def disconnect(self) -> None:
        """It is disconnected: to close these clients ends them."""

    def _run(self) -> None:
        ticked = time.monotonic()
        while not self._closing.wait(_TICK_S):
            try:
                for _ in range(len(self._again)):
                    if self._closing.is_set():
                        break  # `close` settles the rest
                    self._hand_on(*self._again.popleft())
                self._given_up.tell()
                elapsed = time.monotonic() - ticked
                ticked += elapsed
                self.dispatch.tick(steady_ms(), elapsed)
            except BaseException as error:  # noqa: BLE001 - it would end this thread alone, silently
                mistaken(error)
        self.dispatch.tick(steady_ms(), _TICK_S)  # for the last report

    def _hand_over(self, partition: int, times: BrokerTimes, pending: _Pending) -> None:
        place = None if partition == ANYWHERE else partition
        future = self._clients.free.send(pending.topic, pending.value, None, pending.headers, place)
        with self._lock:
            self._unsettled += pending.tries == 1
        future.add_callback(partial(self._delivered, times, pending))
        future.add_errback(partial(self._failed, times, pending, future))

    def _delivered(self, times: BrokerTimes, pending: _Pending, metadata: _Untyped) -> None:
        times.note(time.monotonic() - pending.sent_s)
        self._settle(pending, None, metadata)

    def _failed(
        self, times: BrokerTimes, pending: _Pending, future: _Untyped, error: Exception
    ) -> None:
        """Have another broker tried while there is time; else say so."""
        now = time.monotonic()
        if isinstance(error, RetriableError):
            times = self.dispatch.whose(times, pending.topic, _partition(future))
            times.note_failure(now - pending.sent_s)
            is_in_time = self._patience.allows(pending.tries, pending.begun_s, now)
            if is_in_time and not self._closing.is_set():
                self._again.append((times, replace(pending, error=error)))
                return
        self._settle(pending, error, None)

    def _hand_on(self, times: BrokerTimes, pending: _Pending) -> None:
        # What is unknown for a moment is left for later, while there is time: `send` would wait for
        # it as long as for the first message to a topic, and all others with it.
        known = self._clients.free._metadata  # noqa: SLF001 - as `leaders_of`
        if known.partitions_for_topic(pending.topic) is None:
            if self._patience.allows(pending.tries, pending.begun_s, time.monotonic()):
                self._again.append((times, pending))
            else:
                self._settle(pending, pending.error, None)
            return
        try:
            turn = self.dispatch.again(pending.topic, times.broker, steady_ms())
            partition, other, _ = turn if turn is not None else (ANYWHERE, times, False)
            again = replace(pending, tries=pending.tries + 1, sent_s=time.monotonic())
            self._hand_over(partition, other, again)
        except BaseException as error:  # noqa: BLE001 - of a serializer; or there are fewer partitions
            told = error if isinstance(error, Exception) else KafkaError(repr(error))
            self._settle(pending, told, None)

    def _send_keyed(self, pending: _Pending, key: bytes) -> None:
        self.dispatch.expect(pending.topic)
        client = self._clients.open_keyed()
        refuse_to_wait(client, pending.topic, "with a key")
        future = client.send(pending.topic, pending.value, key, pending.headers)
        with self._lock:
            self._unsettled += 1
        future.add_callback(partial(self._delivered_keyed, pending))
        future.add_errback(partial(self._failed_keyed, pending, future))

    def _delivered_keyed(self, pending: _Pending, metadata: _Untyped) -> None:
        """Enter a message with a key in the times of its partition's leader."""
        times = self.dispatch.times_of(pending.topic, metadata.partition)
        if times is not None:
            times.note(time.monotonic() - pending.sent_s)
        self._settle(pending, None, metadata)

    def _failed_keyed(self, pending: _Pending, future: _Untyped, error: Exception) -> None:
        """Count it for its partition's leader; it goes nowhere else."""
        times = self.dispatch.times_of(pending.topic, _partition(future))
        if times is not None and isinstance(error, RetriableError):
            times.note_failure(time.monotonic() - pending.sent_s)
        self._settle(pending, error, None)

    def _settle(self, pending: _Pending, error: Exception | None, metadata: _Untyped) -> None:
        if pending.on_delivery is not None:
            try:
                with self.here:
                    pending.on_delivery(error, metadata)
            except BaseException as mistake:  # noqa: BLE001 - it would end the client's thread
                mistaken(mistake)
        elif error is not None:
            self._given_up.add(pending.topic, pending.tries, str(error))
        with self._lock:  # not before: whoever waits for the callback may end with what it sends
            self._unsettled -= 1
            self._lost += error is not None and self._closing.is_set()


def _partition(future: _Untyped) -> int | None:
    place = future._produce_future.topic_partition  # noqa: SLF001 - it says nowhere else where
    partition: int | None = place.partition
    return partition


def _hands(times: BrokerTimes) -> Hands[BrokerTimes]:
    """Every delivery is measured: that is little of what one costs here."""
    return times, times, times


def make_sender(place: Place, selector: BrokerSelector, patience: Patience) -> Sender:
    """Make what sends an application's messages."""
    return KafkaPythonSender(place, selector, patience)


def make_link(place: Place, prefix: str) -> Link:
    """Make the way to the controller."""
    return KafkaPythonLink(place, prefix)
