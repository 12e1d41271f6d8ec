"""Sending with kafka-python: no C code, for places where librdkafka cannot go.

The same as `confluent`, with this library's peculiarities. Its reports come on a thread of its own
and carry nothing of the message, so each message is kept until it is settled. That thread may not
send, so a retry waits for the next tick. And the first message to an unknown topic waits for
metadata, as ever with this client (`max_block_ms`).

Loaded by `choose`. Its one rule: a client's timeout is a try's; messages with a key have a client
of their own, with the whole deadline.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, RetriableError

from trimtab.clock import wall_ms
from trimtab.errors import ConfigurationError, TransportError
from trimtab.selector import BrokerSelector
from trimtab.sending.contract import Place, Post, Sender
from trimtab.sending.dispatch import ANYWHERE, Dispatch, Hands, Leaders
from trimtab.sending.given_up import GivenUp
from trimtab.sending.kafka_python_post import DEFAULTS, KafkaPythonPost, connecting
from trimtab.sending.ledger import Ledger
from trimtab.sending.patience import Patience
from trimtab.transports.kafka_python import REFUSALS

_Untyped = Any
"""What comes from kafka-python, which ships no types."""
Callback = Callable[[Exception | None, _Untyped], object]

_LOGGER: Final = logging.getLogger("trimtab")
_TICK_S: Final = 0.05
"""How late a verdict may be noticed by the messages, and how long a second try waits."""
_CLOSE_S: Final = 1.0
"""For disconnecting, once nothing is to be waited for."""
_MOVABLE: Final = {
    "acks": "all",
    # A second try in another partition is a second copy anyway; and an idempotent client of this
    # library stands still, for all brokers, until it knows what became of a batch that timed out.
    "enable_idempotence": False,
}
"""For messages without a key, unless the application says otherwise."""


@dataclass(frozen=True, slots=True)
class _Letter:
    """A message that is not settled."""

    topic: str
    value: bytes | None
    headers: _Untyped
    on_delivery: Callback | None
    begun_s: float
    sent_s: float
    tries: int = 1


class KafkaPythonSender:
    """The application's messages."""

    def __init__(self, place: Place, selector: BrokerSelector, patience: Patience) -> None:
        self.dispatch: Dispatch[Ledger] = Dispatch(selector, _hands)
        self._turns = self.dispatch.turns
        self._patience = patience
        self._given_up = GivenUp()
        self._place = place
        self._free = self._client(patience.try_ms, _MOVABLE)
        self._keyed: _Untyped = None
        self._again: deque[tuple[Ledger, _Letter]] = deque()
        self._unsettled = 0
        self._lock = threading.Lock()
        """Of the count: messages are sent and settled by any thread."""
        self._opening = threading.Lock()
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
            KafkaTimeoutError: The topic is unknown, or there is no room for the message.
        """
        now = time.monotonic()
        letter = _Letter(topic, value, headers, on_delivery, now, now)
        if key is not None:
            self._send_keyed(letter, key)
            return
        partition, ledger, _ = self._turns[topic]()
        self._hand_over(partition, ledger, letter)

    def start(self) -> None:
        """Begin to look after what was reported."""
        self._thread.start()

    def cluster(self) -> str:
        """Ask what Kafka calls itself."""
        try:
            client = KafkaAdminClient(**connecting(self._place))
            try:
                return str(client.describe_cluster()["cluster_id"])
            finally:
                client.close()
        except KafkaError as error:
            raise TransportError(str(error)) from error

    def leaders(self, topic: str) -> Leaders:
        """Ask who leads a topic: what the client knows, which it looks at again by itself."""
        try:
            partitions = self._free.partitions_for(topic)
        except KafkaError as error:
            raise TransportError(str(error)) from error
        cluster = self._free._metadata  # noqa: SLF001 - it says nowhere else who leads
        leaders = [
            _name(cluster.leader_for_partition(TopicPartition(topic, number)))
            for number in range(max(partitions, default=-1) + 1)
        ]
        cluster.request_update()  # for the next look
        return Leaders(
            leaders, {str(it.node_id): f"{it.host}:{it.port}" for it in cluster.brokers()}
        )

    def flush(self, timeout_s: float) -> int:
        """Wait until all is settled, second tries too."""
        end = time.monotonic() + timeout_s
        while self._unsettled and (left := end - time.monotonic()) > 0:
            for client in self._clients():
                with suppress(KafkaError):  # the time is over, which the count says
                    client.flush(left)
            time.sleep(min(left, _TICK_S) if self._unsettled else 0)
        return self._unsettled

    def close(self, timeout_s: float) -> int:
        """Settle what can be settled; the rest is reported as failed."""
        left = self.flush(timeout_s)
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()
        for client in self._clients():
            with suppress(KafkaError):  # what it could not send, it gives up
                client.close(_CLOSE_S)
        while self._again:
            self._settle(self._again.popleft()[1], KafkaError("the producer was closed"), None)
        return left

    def _clients(self) -> list[_Untyped]:
        return [self._free] if self._keyed is None else [self._free, self._keyed]

    def _client(self, timeout_ms: int, defaults: Mapping[str, _Untyped]) -> _Untyped:
        options: dict[str, _Untyped] = {**DEFAULTS, **defaults, "linger_ms": 0}
        options |= {name.replace(".", "_"): value for name, value in self._place.kafka.items()}
        options["bootstrap_servers"] = self._place.servers.split(",")
        options["delivery_timeout_ms"] = timeout_ms
        options["request_timeout_ms"] = timeout_ms - options["linger_ms"]  # or it is refused
        try:
            return KafkaProducer(**options)
        except REFUSALS as error:
            raise ConfigurationError(f"kafka: {error}") from error
        except KafkaError as error:
            raise TransportError(str(error)) from error

    def _run(self) -> None:
        ticked = time.monotonic()
        while not self._closing.wait(_TICK_S):
            for _ in range(len(self._again)):
                self._hand_on(*self._again.popleft())
            elapsed = time.monotonic() - ticked
            ticked += elapsed
            self.dispatch.tick(wall_ms(), elapsed)
        self.dispatch.tick(wall_ms(), _TICK_S)  # for the last report

    def _hand_over(self, partition: int, ledger: Ledger, letter: _Letter) -> None:
        place = None if partition == ANYWHERE else partition
        future = self._free.send(letter.topic, letter.value, None, letter.headers, place)
        with self._lock:
            self._unsettled += letter.tries == 1
        future.add_callback(partial(self._delivered, ledger, letter))
        future.add_errback(partial(self._failed, ledger, letter))

    def _delivered(self, ledger: Ledger, letter: _Letter, metadata: _Untyped) -> None:
        ledger.note(time.monotonic() - letter.sent_s)
        self._settle(letter, None, metadata)

    def _failed(self, ledger: Ledger, letter: _Letter, error: Exception) -> None:
        """Have another broker tried while there is time; else say so."""
        now = time.monotonic()
        if isinstance(error, RetriableError):
            ledger.note_failure(now - letter.sent_s)
            if self._patience.allows(letter.tries, letter.begun_s, now):
                self._again.append((ledger, letter))
                return
        self._settle(letter, error, None)

    def _hand_on(self, ledger: Ledger, letter: _Letter) -> None:
        turn = self.dispatch.again(letter.topic, ledger.broker, wall_ms())
        partition, other, _ = turn if turn is not None else (ANYWHERE, ledger, False)
        again = replace(letter, tries=letter.tries + 1, sent_s=time.monotonic())
        try:
            self._hand_over(partition, other, again)
        except (KafkaError, ValueError) as error:  # its topic may have fewer partitions by now
            self._settle(letter, error, None)

    def _send_keyed(self, letter: _Letter, key: bytes) -> None:
        with self._opening:
            if self._keyed is None:
                self._keyed = self._client(self._patience.deadline_ms, {})
        future = self._keyed.send(letter.topic, letter.value, key, letter.headers)
        with self._lock:
            self._unsettled += 1
        future.add_callback(partial(self._delivered_keyed, letter))
        future.add_errback(lambda error: self._settle(letter, error, None))

    def _delivered_keyed(self, letter: _Letter, metadata: _Untyped) -> None:
        """Enter a message with a key in the ledger of its partition's leader."""
        ledger = self.dispatch.ledger_of(letter.topic, metadata.partition)
        if ledger is not None:
            ledger.note(time.monotonic() - letter.sent_s)
        self._settle(letter, None, metadata)

    def _settle(self, letter: _Letter, error: Exception | None, metadata: _Untyped) -> None:
        with self._lock:
            self._unsettled -= 1
        if letter.on_delivery is not None:
            try:
                letter.on_delivery(error, metadata)
            except Exception:
                _LOGGER.exception("a callback failed")
        elif error is not None:
            self._given_up.add(letter.topic, letter.tries, str(error))


def _hands(ledger: Ledger) -> Hands[Ledger]:
    """Every delivery is measured: that is little of what one costs here."""
    return ledger, ledger, ledger


def _name(leader: int | None) -> str | None:
    return None if leader is None or leader < 0 else str(leader)


def make_sender(place: Place, selector: BrokerSelector, patience: Patience) -> Sender:
    """Make what sends an application's messages."""
    return KafkaPythonSender(place, selector, patience)


def make_post(place: Place, prefix: str) -> Post:
    """Make the way to the controller."""
    return KafkaPythonPost(place, prefix)
