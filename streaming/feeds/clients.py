"""A feed's clients of librdkafka, each made anew when it has done nothing for long.

One whose brokers were away for a moment may never find them again, and tells no error (fault H15).
A new one does, and costs little: it connects, and reads on where the old one was. It also reads
the files that `kafka.options` name once more: if it cannot be made, the old one goes on.

Used by the feeds that live as long as the controller. Its one rule: what is written may be lost,
and is told then; what is read is read once, and in order.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Thread
from typing import Final, NamedTuple, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from streaming.feeds.feed import NOT_TAKEN, Config
from streaming.process.trouble import Trouble

LIFETIME_MS: Final = 5_000
"""What could not be sent for so long is dropped: it is said again, or what is newer says more."""
WORN_S: Final = 30.0
"""A client that has done nothing for so long is replaced. Kafka is back sooner, as a rule, and then
its client has a second to connect."""
RENEWED_S: Final = 60.0
"""A client that waits for its turn, and whose silence says nothing, is replaced so often."""
_Client = TypeVar("_Client")
Heard = Callable[[KafkaError | None, Message], object]
"""Told what becomes of a record."""


def _nothing(_error: KafkaError | None, _message: Message) -> None:
    """Nobody else wants to know."""


class _Failing(NamedTuple):
    """When nothing was written to a partition, by this client."""

    since: float
    last: float


class FeedProducer:
    """Writes the records of one feed; its feed polls it again and again."""

    def __init__(self, config: Config, trouble: Trouble, worn_s: float = WORN_S) -> None:
        self._config = {**config, "linger.ms": 0, "message.timeout.ms": LIFETIME_MS}
        self._trouble, self._worn_s = trouble, worn_s
        self._making = making(trouble)
        self._producer = Producer(self._config)
        self._failing: dict[tuple[str, int], _Failing] = {}
        """Partitions to which nothing was written of what was to be: a broker leads some."""

    def write(
        self, topic: str, value: bytes, key: bytes, partition: int, heard: Heard = _nothing
    ) -> bool:
        """Write a record; tell whether it was taken, and if so, what became of it later."""

        def delivered(error: KafkaError | None, message: Message) -> None:
            self._note(topic, partition, failed=error is not None)
            if error is not None:
                self._trouble.met(error)
            elif not self._failing:
                self._trouble.over()
            heard(error, message)

        try:
            self._producer.produce(topic, value, key, partition, on_delivery=delivered)
        except NOT_TAKEN as error:
            self._trouble.met(error)
            self._note(topic, partition, failed=True)
            return False
        return True

    def poll(self) -> None:
        """Hear what became of records."""
        self._producer.poll(0)
        now = time.monotonic()
        if self._failing and now - min(it.since for it in self._failing.values()) > self._worn_s:
            self._renew()
            self._failing = {
                place: _Failing(now, it.last)
                for place, it in self._failing.items()
                if now - it.last < self._worn_s  # to others nothing is written any more
            }

    def flush(self, patience_s: float) -> None:
        """Wait until all is written, or for so long."""
        self._producer.flush(patience_s)

    def purge(self) -> None:
        """Give up what is on its way."""
        with suppress(KafkaException):  # it has given up for good
            self._producer.purge()
            self._producer.poll(0)

    def _renew(self) -> None:
        self.purge()
        held: list[object] = [self._producer]
        if (made := successor(Producer, self._config, self._making)) is not None:
            self._producer = made
            discard(held)

    def _note(self, topic: str, partition: int, *, failed: bool) -> None:
        place, now = (topic, partition), time.monotonic()
        if failed:
            known = self._failing.get(place)
            self._failing[place] = _Failing(now if known is None else known.since, now)
        else:
            self._failing.pop(place, None)


class FeedConsumer:
    """Reads partitions for one feed, and tells their ends."""

    def __init__(
        self,
        config: Config,
        trouble: Trouble,
        places: Iterable[TopicPartition],
        worn_s: float = WORN_S,
    ) -> None:
        self._config = {**config, "enable.partition.eof": True}
        self._first = {(it.topic, it.partition): it.offset for it in places}
        self._making, self._worn_s = making(trouble), worn_s
        self._consumer = Consumer(self._config)
        self.begin_anew()

    def begin_anew(self) -> None:
        """Read all of it once more."""
        self._next = {**self._first}
        self._follow()

    def poll(self, patience_s: float) -> Message | None:
        """Wait for a message, for so long at most."""
        message = self._consumer.poll(patience_s)
        if message is not None:
            self._note(message)
        elif time.monotonic() - min(self._heard_at.values()) > self._worn_s:
            self._renew()
        return message

    def close(self) -> None:
        """Read nothing more."""
        self._consumer.close()

    def _note(self, message: Message) -> None:
        """Note how far a partition was read."""
        error, offset = message.error(), message.offset()
        place = message.topic() or "", message.partition() or 0
        if place not in self._next or offset is None:
            return
        if error is None or error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its name
            self._next[place] = offset + (error is None)
            self._heard_at[place] = time.monotonic()

    def _renew(self) -> None:
        self._heard_at = dict.fromkeys(self._next, time.monotonic())
        held: list[object] = [self._consumer]
        if (made := successor(Consumer, self._config, self._making)) is not None:
            self._consumer = made
            self._follow()
            discard(held)

    def _follow(self) -> None:
        self._consumer.assign([TopicPartition(*it, offset) for it, offset in self._next.items()])
        self._heard_at = dict.fromkeys(self._next, time.monotonic())
        """When Kafka last said something of each. What rests says nothing, so a reader is replaced
        now and then; a new one hears of each end once."""


def making(trouble: Trouble) -> Trouble:
    """Return the trouble of making a client anew: that the old one works does not end it."""
    return trouble.with_a_step("make a new client")


def successor(
    make: Callable[[Config], _Client], config: Config, trouble: Trouble
) -> _Client | None:
    """Make a client to replace another; None: there is none now, and the other one goes on.

    Somebody may just be replacing the files of a certificate, or there is no room for its threads.
    """
    try:
        made = make(config)
    except KafkaException as error:
        trouble.met(error.args[0])
        return None
    trouble.over()
    return made


def discard(held: list[object]) -> None:
    """Let go of a client, on a thread of its own: it is not well, and its end may take long.

    Its caller holds it nowhere else. Members have the same; their code is not the controller's.
    """
    Thread(target=held.clear, name="discarding", daemon=True).start()
