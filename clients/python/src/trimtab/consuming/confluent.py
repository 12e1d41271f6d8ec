"""Reading by confluent-kafka, used in one way only.

- It uses only `incremental_assign` and `incremental_unassign`: a full `assign` of old and new
  partitions rewinds each of them to its committed offset.
- A consumer admits one thread at a time (confluent-kafka since 2.16), so callers take turns, and
  who waits for messages waits in slices.
- An admin client could ask without a turn. But with its `list_consumer_group_offsets` a process
  once ended in a null pointer while a coordinator started (confluent-kafka 2.16).

Chosen by `assembly`. See `contract.Client`.
"""

import logging
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from trimtab.clock import now_s
from trimtab.consuming.choice import Start
from trimtab.consuming.confluent_apart import found_apart
from trimtab.consuming.confluent_settings import (
    client_settings,
    consumer_settings,
)
from trimtab.consuming.confluent_silence import Silence, answered
from trimtab.consuming.confluent_stall import Stall
from trimtab.consuming.contract import Committed, Ends, RefusedError, Wish, where
from trimtab.errors import ConfigurationError
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.listing import listed
from trimtab.protocol import QueueRef
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_ends import EndFinder
from trimtab.transports.confluent_said import cut_in, said
from trimtab.transports.confluent_succession import successor

_LOGGER: Final = logging.getLogger("trimtab")
_NAMED: Final = 3
"""Queues that a line of the log names; the rest is counted."""
_SPECIAL: Final = {"earliest": OFFSET_BEGINNING, "latest": OFFSET_END}
"""As times these mean the same to a broker (the protocol's ListOffsets)."""
_REMEMBERED: Final = {KafkaError._UNKNOWN_PARTITION, KafkaError.LEADER_NOT_AVAILABLE}  # noqa: SLF001 - public names
"""What librdkafka says out of its memory: that a partition is new, or had no leader once. It looks
again when `metadata.max.age.ms` is over, after fifteen minutes."""


class ConfluentClient:
    """See `Client`."""

    slice_s = 0.005  # as long as the rest of a hand-over

    def __init__(self, wish: Wish) -> None:
        self._asking = client_settings(wish)
        self._settings = consumer_settings(self._asking)
        try:
            self._consumer = Consumer(self._settings, logger=KAFKA_LOGGER)
        except (KafkaException, TypeError, ValueError) as error:
            text = said(error)
            raise ConfigurationError(f"{wish.where_from(text)}: {text}") from None
        ends = EndFinder(self._asking, wish.patience_s, all_of_them=False)
        self._stall, self._silence = Stall(ends, self._heard), Silence()
        self._places: dict[QueueRef, int] = {}
        """What is read, and where each was begun."""
        self._paused: set[QueueRef] = set()
        self._reached: dict[QueueRef, int] = {}
        """Where earlier consumers came to, with what was begun then."""
        self.astray: dict[QueueRef, int | None] = {}
        self.troubles: list[Exception] = []

    def open(self) -> None:
        """It connects by itself."""

    def take(self, most: int, timeout_s: float) -> list[Message]:
        """Take what there is; wait only for the first message."""
        first = self._consumer.poll(timeout_s)
        taken = [] if first is None else [first, *self._consumer.consume(most - 1, 0)]
        return self._messages(taken, most)

    def collect(self, most: int, timeout_s: float) -> list[Message]:
        """Take so many, or what has come when the time is up."""
        return self._messages(self._consumer.consume(most, timeout_s), most)

    def begin(self, places: Mapping[QueueRef, int]) -> None:
        """Read these as well."""
        self._places |= places
        self._unassign(places)
        self._consumer.incremental_assign([place(*it) for it in places.items()])

    def end(self, queues: Collection[QueueRef]) -> None:
        """Read these no more."""
        if resting := self._paused & set(queues):  # librdkafka would remember it of the next grant
            self._consumer.resume([place(it) for it in resting])
            self._paused -= resting
        for queue in queues:
            for those in (self._places, self._reached, self.astray):
                those.pop(queue, None)
        self._unassign(queues)

    def _unassign(self, queues: Iterable[QueueRef]) -> None:
        """Take these from librdkafka, as far as it has them: it may have been interrupted before.

        The application's thread calls this, too, and a signal handler may raise between two steps.
        """
        if there := {queue_of(it) for it in self._consumer.assignment()}.intersection(queues):
            self._consumer.incremental_unassign([place(it) for it in there])

    def pause(self, queues: Iterable[QueueRef]) -> None:
        """Fetch nothing of these for now."""
        those = set(queues)
        self._paused |= those
        self._consumer.pause([place(it) for it in those])

    def resume(self, queues: Iterable[QueueRef]) -> None:
        """Go on with these."""
        those = set(queues)
        self._paused -= those
        self._consumer.resume([place(it) for it in those])

    def positions(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """What comes after the last message that was taken, if one was."""
        asked = list(queues)
        found = self._consumer.position([place(it) for it in asked])
        reached = {it: self._reached[it] for it in asked if it in self._reached}
        return reached | {queue_of(it): it.offset for it in found if it.offset >= 0}

    def ends(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """Where they end, as librdkafka keeps it."""
        found = {queue: self._end(queue) for queue in queues}
        return {queue: end for queue, end in found.items() if end >= 0}

    def committed(self, queues: list[QueueRef], timeout_s: float) -> Committed:
        """Read what is committed."""
        try:
            answers = self._consumer.committed(list(map(place, queues)), timeout_s)
        except KafkaException as error:
            return self._silence.noted(queues, Committed({}, refused(error)))
        failed = _first_error(answers)
        found = {queue_of(it): (it.offset, metadata_of(it)) for it in answers if it.error is None}
        answer = Committed(found, None if failed is None else refused(failed))
        return self._silence.noted(queues, answer)

    def group_metadata(self) -> object:
        """What a transaction is told of the group that commits."""
        return self._consumer.consumer_group_metadata()

    def found(self, queues: list[QueueRef], end: Start, timeout_s: float) -> Ends:
        """Find the first messages at an end, or since a time."""
        time_ms = int(end.timestamp() * 1_000) if isinstance(end, datetime) else _SPECIAL[end]
        asked = [place(queue, time_ms) for queue in queues]
        deadline = now_s() + timeout_s
        try:
            answers = self._consumer.offsets_for_times(asked, timeout=timeout_s)
            found = {queue_of(it): it.offset for it in answers if it.error is None}
            failed = _first_error(answers)
        except KafkaException as error:
            found, failed = {}, error
        if failed is not None and failed.args[0].code() in _REMEMBERED:
            self._remember_anew({it.topic for it in queues if it not in found}, deadline)
        return Ends(found, None if failed is None else refused(failed))

    def found_apart(
        self, queues: list[QueueRef], end: Start, timeout_s: float
    ) -> dict[QueueRef, int]:
        """Find the same of each leader by itself."""
        return found_apart(self._asking, queues, end, timeout_s)

    def _remember_anew(self, topics: Iterable[str], deadline: float) -> None:
        """Have the next question answered; what cannot be looked at in time is then looked at."""
        for topic in topics:
            if (left := deadline - now_s()) > 0:
                with suppress(KafkaException):  # the caller raises why there is no answer
                    self._consumer.list_topics(topic, left)

    def look(self) -> None:
        """Go on with a new consumer if this one has stopped to read something, or to answer."""
        wanted = self._places.keys() - self._paused - self.astray.keys()
        if stalled := self._stall.found(frozenset(wanted)):
            another = successor(Consumer, self._settings, KAFKA_LOGGER.warning)
            if another is not None:
                self._replace("reads nothing of {}, though Kafka has more", stalled, another)
                self._silence.anew()
            self._stall.replaced(stalled)
        elif silent := self._silence.found():
            self._silence.replaced()
            if (other := answered(self._settings, silent)) is not None:
                self._replace("gets no answer about {}", silent, other)
                self._stall.anew()

    def _replace(self, why: str, queues: Iterable[QueueRef], another: Consumer) -> None:
        """Read on with a new consumer where this one has come to."""
        names = listed([f"{it.topic}/{it.id}" for it in sorted(queues)], _NAMED)
        _LOGGER.warning("librdkafka %s: going on with a new client", why.format(names))
        self._reached = self.positions(self._places)
        self._places |= self._reached
        held: list[object] = [self._consumer]
        self._consumer = another
        self._consumer.incremental_assign([place(*it) for it in self._places.items()])
        self._consumer.pause([place(it) for it in self._paused])
        discard(held)

    def close(self) -> None:
        """Read nothing more."""
        self._consumer.close()
        held: list[object] = [self._stall]
        del self._stall  # it knows us, and has a client
        discard(held)

    def _end(self, queue: QueueRef) -> int:
        """What was heard of the end; less than 0 as long as there was no fetch."""
        _, end = self._consumer.get_watermark_offsets(place(queue), cached=True)
        return end

    def _heard(self, queue: QueueRef) -> int:
        """How far Kafka's log is known to reach."""
        return max(self._end(queue), self._places[queue])

    def _messages(self, taken: list[Message], most: int) -> list[Message]:
        """Leave out what is none."""
        if len(taken) < most:
            self._stall.drained()
        if errors := list(filter(Message.error, taken)):
            for error in errors:
                self._hear(error)
            return [it for it in taken if it.error() is None]
        return taken

    def _hear(self, message: Message) -> None:
        error = message.error()
        assert error is not None
        if error.code() == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - its public name
            self.astray[where(message)[0]] = cut_in(error)
        else:
            self.troubles.append(
                RefusedError(KafkaException(error), topics=_named(message.topic()))
            )


class PlaceError(KafkaException):
    """What is wrong with one queue, and of which topic it is."""

    def __init__(self, error: KafkaError, topic: str) -> None:
        super().__init__(error)
        self.topic = topic


def refused(error: KafkaException) -> RefusedError:
    """What Kafka did not do."""
    is_subscribed = error.args[0].code() == KafkaError.UNKNOWN_MEMBER_ID
    topics = _named(error.topic) if isinstance(error, PlaceError) else ()
    return RefusedError(error, is_subscribed=is_subscribed, topics=topics)


def _named(topic: str | None) -> tuple[str, ...]:
    return (topic,) if topic else ()


def place(queue: QueueRef, offset: int = OFFSET_BEGINNING, said: str = "") -> TopicPartition:
    """A queue as confluent-kafka has it; what is said with a commit is kept beside it."""
    beside = (said,) if said else ()
    return TopicPartition(queue.topic, queue.id, offset, *beside)


def metadata_of(it: TopicPartition) -> str:
    """What was said with a commit.

    confluent-kafka 2.16 reads on behind its end now and then; what is there may be no text.
    """
    try:
        return it.metadata or ""
    except UnicodeDecodeError as error:
        return error.object[: error.start].decode()


def queue_of(it: TopicPartition) -> QueueRef:
    """The queue, as we have it."""
    return QueueRef(it.topic, "", it.partition)


def checked(answers: list[TopicPartition]) -> list[TopicPartition]:
    """Raise what is wrong with any of them."""
    if (error := _first_error(answers)) is not None:
        raise error
    return answers


def _first_error(answers: list[TopicPartition]) -> KafkaException | None:
    errors = (PlaceError(it.error, it.topic) for it in answers if it.error is not None)
    return next(errors, None)
