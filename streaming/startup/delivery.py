"""Delivery: what a starting controller writes into the log, with the proof that it arrived.

A start (``takeover``) and what is published (``reminder``) both go to ``routes``, which every batch
reads, and a controller that starts without them would decide wrongly.

Its one rule: each record has arrived, or the sender knows that it has not.
"""

from collections.abc import Mapping
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from streaming.feeds.feed import client_config, logger
from streaming.options import Options
from streaming.process.trouble import Trouble
from trimtab.protocol import ROUTES, Record, Topic, encode, limits

_FULL_S: Final = 0.5
"""How long some of it may leave before the next is tried again."""
_LARGEST_BYTES: Final = limits.RECORD_BYTES + 16 * 1024
"""As our topics take them: librdkafka's default is less."""


class Undelivered(Exception):  # noqa: N818 - it names what happened
    """Kafka did not take it."""


class Delivery:
    """A sender, until all has arrived.

    Args:
        options: Where Kafka is.
        sender: Who sends.
        errand: What for, as the subject of a sentence.
        patience_s: How long Kafka may take for each record.
        topic: Where to.
    """

    def __init__(
        self,
        options: Options,
        sender: str,
        errand: str,
        patience_s: float,
        topic: Topic[Any] = ROUTES,
    ) -> None:
        self._topic = f"{options.topics.prefix}{topic.name}"
        self._errand, self._patience_s = errand, patience_s
        self._failures: list[KafkaError] = []
        self._receipts: dict[int, Message] = {}
        self._producer = Producer(
            {
                **client_config(options, sender, Trouble(logger(sender), errand)),
                "enable.idempotence": True,
                "message.max.bytes": _LARGEST_BYTES,
                "message.timeout.ms": int(patience_s * 1000),
                "on_delivery": self._delivered,
            }
        )

    def send(self, record: Record, key: bytes, partition: int) -> None:
        """Hand over one record; it leaves in its own time.

        Raises:
            Undelivered: It cannot even be sent.
        """
        value = encode(record)
        while True:
            try:
                self._producer.produce(self._topic, value, key, partition)
            except BufferError:  # many members: let some of it leave first
                self._producer.poll(_FULL_S)
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
        left = self._producer.flush(2 * self._patience_s)
        if self._failures or left:
            why = KafkaException(self._failures[0]) if self._failures else None
            raise Undelivered(f"{self._errand} failed: {why or 'Kafka does not answer'}") from why
        return self._receipts

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self._receipts[message.partition() or 0] = message
        else:
            self._failures.append(error)
