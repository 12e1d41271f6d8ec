"""Delivery: what a starting controller writes into the log, with the proof that it arrived.

A start (``takeover``), what is published (``reminder``), and where that begins and ends
(``opening``) go to topics that every batch reads. A controller that starts without them would
decide wrongly. One client writes them all, because its first record takes half a second: before it
can write each record once, it asks Kafka for a number, and librdkafka looks for the answer only
every 500 ms. A standby opens it long before its turn, and anew each minute: nothing shows whether
a client that writes nothing still could (fault H15).

Its one rule: each record has arrived, or the sender knows that it has not.
"""

import time
from collections.abc import Mapping
from threading import Event
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from streaming.feeds.clients import RENEWED_S, discard, making, successor
from streaming.feeds.feed import client_config, logger
from streaming.options import Options
from streaming.process.trouble import Trouble
from trimtab.protocol import ROUTES, Record, Topic, encode, limits

_NAME: Final = "start"
_SOON_S: Final = 5.0
"""While no client can be made another one is tried so often, and for whom it counts now one of the
last so many seconds is proof enough."""
_PATIENCE_S: Final = 60.0
"""How long Kafka may take for each record."""
_LOOK_S: Final = 0.5
"""How often it looks whether to stop, and how long some of it may leave before the next is tried
again."""
_LAST_S: Final = 5.0
"""How long Kafka may take for all that is left, once it is to stop."""
_LARGEST_BYTES: Final = limits.RECORD_BYTES + limits.AROUND_BYTES
"""As our topics take them: librdkafka's default is less."""


class Undelivered(Exception):  # noqa: N818 - it names what happened
    """Kafka did not take it."""


class StartWriter:
    """The client of one start, or of one more try of it.

    Args:
        options: Where Kafka is.
        stop: Set when nobody should wait for long any more.
    """

    def __init__(self, options: Options, stop: Event) -> None:
        self._prefix, self._stop = options.topics.prefix, stop
        self._trouble = Trouble(logger(_NAME), "write a start")
        self._making = making(self._trouble)
        self._is_used = False
        """Until then nobody asks what fails."""
        self._config = {
            **client_config(options, _NAME, self._trouble),
            "error_cb": self._met,
            "enable.idempotence": True,
            "message.max.bytes": _LARGEST_BYTES,
            "message.timeout.ms": int(_PATIENCE_S * 1000),
        }
        self._producer, self._made = Producer(self._config), time.monotonic()

    def stay_ready(self, *, counts_now: bool = False) -> bool:
        """Take what Kafka has said; called now and then by one that waits.

        Returns:
            Whether another client could be made, the last time that this was tried: whose turn has
            come needs some that it did not need before.
        """
        self._producer.poll(0)
        pause_s = _SOON_S if counts_now or self._making.lasts else RENEWED_S
        if time.monotonic() - self._made > pause_s:
            self._made = time.monotonic()
            held: list[object] = [self._producer]
            if (made := successor(Producer, self._config, self._making)) is not None:
                self._producer = made
                discard(held)
        return not self._making.lasts

    def delivery(self, errand: str, topic: Topic[Any] = ROUTES) -> "Delivery":
        """Begin a delivery; the one before has arrived, or has failed.

        Args:
            errand: What for, as the subject of a sentence.
            topic: Where to.
        """
        self._is_used = True
        return Delivery(self._producer, f"{self._prefix}{topic.name}", errand, self._stop)

    def _met(self, error: KafkaError) -> None:
        if self._is_used:
            self._trouble.met(error)


class Delivery:
    """Some records, until all have arrived.

    Args:
        producer: Whose client sends them.
        topic: Where to.
        errand: What for, as the subject of a sentence.
        stop: Set when nobody should wait for long any more.
    """

    def __init__(self, producer: Producer, topic: str, errand: str, stop: Event) -> None:
        self._producer, self._topic, self._errand, self._stop = producer, topic, errand, stop
        self._failures: list[KafkaError] = []
        self._receipts: dict[int, Message] = {}

    def send(self, record: Record, key: bytes, partition: int) -> None:
        """Hand over one record; it leaves in its own time.

        Raises:
            Undelivered: It cannot even be sent.
        """
        value = encode(record)
        while True:
            try:
                self._producer.produce(
                    self._topic, value, key, partition, on_delivery=self._delivered
                )
            except BufferError as error:  # many members: let some of it leave first
                if self._stop.is_set():
                    raise Undelivered(f"{self._errand} failed: told to stop") from error
                self._producer.poll(_LOOK_S)
            except KafkaException as error:
                raise Undelivered(f"{self._errand} failed: {error}") from error
            else:
                self._producer.poll(0)
                return

    def arrived(self) -> Mapping[int, Message]:
        """Wait until all has arrived; return the last receipt of each partition.

        Raises:
            Undelivered: Some of it has not.
        """
        left = self._flushed()
        if self._failures or left:
            why = KafkaException(self._failures[0]) if self._failures else None
            raise Undelivered(f"{self._errand} failed: {why or 'Kafka does not answer'}") from why
        return self._receipts

    def _flushed(self) -> int:
        """Wait until all has left, not for long once it is to stop; return how many have not."""
        until = time.monotonic() + 2 * _PATIENCE_S
        while (left := self._producer.flush(_LOOK_S)) and time.monotonic() < until:
            if self._stop.is_set():
                return self._producer.flush(_LAST_S)
        return left

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self._receipts[message.partition() or 0] = message
        else:
            self._failures.append(error)
