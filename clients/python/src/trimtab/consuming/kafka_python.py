"""Reading by kafka-python: no C code, for places where librdkafka cannot go.

- Making its consumer waits for Kafka. So `open` does that, on the upkeep's thread, and what is to
  be read is noted until then.
- It has no incremental `assign`; that of all keeps the positions of those that stay.
- It reads without a group, or it would wait for the coordinator before each fetch.
- What it cannot read of one partition it raises, again and again; that partition rests then.

Chosen by `assembly`. See `contract.Client`. Positions are kept here: it would ask Kafka for one.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import (
    KafkaError,
    LogTruncationError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from trimtab.clock import now_s
from trimtab.consuming.choice import Start
from trimtab.consuming.contract import Committed, Ends, RefusedError, Wish
from trimtab.consuming.kafka_python_group import GroupClient
from trimtab.consuming.kafka_python_message import KafkaPythonMessage
from trimtab.consuming.kafka_python_settings import group_settings, link_of, reading_settings
from trimtab.errors import ConfigurationError, TransportError
from trimtab.protocol import QueueRef
from trimtab.transports.kafka_python_connecting import REFUSALS, connected
from trimtab.transports.kafka_python_unread import forget, forget_at_once

if TYPE_CHECKING:
    from confluent_kafka import Message

_LOOK_S: Final = 0.005
"""How late it is noticed that there is something to read."""
_REST_S: Final = 1.0
"""After a refusal: so that others are read meanwhile, and a right that was given is noticed."""


class KafkaPythonClient:
    """See `Client`."""

    slice_s = 0.02  # each wait costs half a millisecond of Python

    def __init__(self, wish: Wish) -> None:
        self._settings, self._link = reading_settings(wish), link_of(wish)
        if unknown := self._settings.keys() - KafkaConsumer.DEFAULT_CONFIG.keys():
            name = min(unknown)
            raise ConfigurationError(f"{wish.where_from(name)}: kafka-python has no option {name}")
        self._group, self._about = wish.group, GroupClient(group_settings(wish))
        self._consumer: Any = None
        self._places: dict[QueueRef, int] = {}
        """What is read, and the next message of each."""
        self._fresh: set[QueueRef] = set()
        """Those that the consumer does not read from there yet."""
        self._assigned: set[QueueRef] = set()
        self._paused: set[QueueRef] = set()
        self._rests: dict[QueueRef, float] = {}
        """Those that were refused, and until when they are not read."""
        self._unread: TopicPartition | None = None
        """Of which the next `poll` is to raise that it cannot be read."""
        self.astray: dict[QueueRef, int | None] = {}
        self.troubles: list[Exception] = []

    def open(self) -> None:
        """Connect."""
        if self._consumer is None:
            try:
                self._consumer = connected(KafkaConsumer, self._settings, self._link)
            except (*REFUSALS, TypeError) as error:
                raise ConfigurationError(f"kafka or fetch: {error!r}") from error
            except (KafkaError, TransportError) as error:
                raise RefusedError(error) from error

    def take(self, most: int, timeout_s: float) -> "list[Message]":
        """Take what there is."""
        if self._consumer is None or not self._places:
            time.sleep(min(timeout_s, _LOOK_S))
            return []
        self._follow()
        unread, self._unread = self._unread, None
        if unread and unread in self._consumer.paused():  # then nothing is raised of it
            unread = None
        try:
            found = self._consumer.poll(timeout_ms=int(timeout_s * 1_000), max_records=most)
        except KafkaError as error:
            self._hear(error, forget(self._consumer) or unread)
            return []
        except Exception:  # of a deserializer
            forget(self._consumer)
            raise
        self._unread = forget_at_once(self._consumer)
        taken: list[KafkaPythonMessage] = []
        for partition, records in found.items():
            self._places[_queue_of(partition)] = records[-1].offset + 1
            taken += map(KafkaPythonMessage, records)
        return cast("list[Message]", taken)

    collect = take

    def look(self) -> None:
        """It connects anew by itself."""

    def begin(self, places: Mapping[QueueRef, int]) -> None:
        """Read these as well."""
        self._places |= places
        self._fresh |= places.keys()

    def end(self, queues: Collection[QueueRef]) -> None:
        """Read these no more."""
        for queue in queues:
            for those in (self._places, self._rests, self.astray):
                those.pop(queue, None)
        for some in (self._fresh, self._paused):
            some.difference_update(queues)

    def pause(self, queues: Iterable[QueueRef]) -> None:
        """Fetch nothing of these for now."""
        self._paused.update(queues)
        self._follow()

    def resume(self, queues: Iterable[QueueRef]) -> None:
        """Go on with these."""
        self._paused.difference_update(queues)
        self._follow()

    def positions(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """What comes after the last message that was taken."""
        return {it: self._places[it] for it in queues if it in self._places}

    def ends(self, queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        """Where they end, as kafka-python keeps it."""
        if (consumer := self._consumer) is None:
            return {}
        marks = {it: consumer.highwater(_place(it)) for it in self._assigned.intersection(queues)}
        return {it: mark for it, mark in marks.items() if mark is not None}

    def committed(self, queues: list[QueueRef], timeout_s: float) -> Committed:
        """Read what is committed; of several topics it says nothing if it may not of one."""
        deadline = now_s() + timeout_s
        try:
            return Committed(self._committed(queues, timeout_s))
        except RefusedError as error:
            topics = sorted({it.topic for it in queues})
            if len(topics) == 1 or not isinstance(error.said, TopicAuthorizationFailedError):
                return Committed({}, error)
            found: dict[QueueRef, tuple[int, str]] = {}
            for topic in topics:
                if (left := deadline - now_s()) > 0:
                    with suppress(RefusedError):  # the first one is told
                        found |= self._committed([it for it in queues if it.topic == topic], left)
            missing = {it.topic for it in queues if it not in found}
            return Committed(found, RefusedError(error.said, topics=missing) if missing else None)

    def _committed(
        self, queues: list[QueueRef], timeout_s: float
    ) -> dict[QueueRef, tuple[int, str]]:
        asked = {self._group: list(map(_place, queues))}
        answer = self._about.ask(lambda admin: admin.list_group_offsets(asked)[self._group])
        found = self._about.answer(answer, timeout_s)
        return {_queue_of(it): (at.offset, at.metadata or "") for it, at in found.items()}

    def found(self, queues: list[QueueRef], end: Start, timeout_s: float) -> Ends:
        """Find the first messages at an end, or since a time."""
        deadline = now_s() + timeout_s
        try:
            return Ends(self._found(queues, end, timeout_s))
        except RefusedError as error:
            left = deadline - now_s()
            if left <= 0 or not isinstance(error.said, KafkaError):
                return Ends({}, error)
            with suppress(RefusedError):  # the first one is told
                existing = self._leaders({it.topic for it in queues}, left)
                there = [it for it in queues if it in existing]
                if len(there) < len(queues):
                    return Ends(self._found(there, end, timeout_s) if there else {}, error)
            return Ends({}, error)

    def found_apart(
        self, queues: list[QueueRef], end: Start, timeout_s: float
    ) -> dict[QueueRef, int]:
        """Find the same of one leader after another, each of which has its share of the time."""
        deadline = now_s() + timeout_s
        try:
            leaders = self._leaders({it.topic for it in queues}, timeout_s)
        except RefusedError:
            return {}
        led = defaultdict[int, list[QueueRef]](list)
        for queue in leaders.keys() & queues:
            led[leaders[queue]].append(queue)
        found = dict[QueueRef, int]()
        for asked, some in enumerate(led.values()):
            share_s = (deadline - now_s()) / (len(led) - asked)
            with suppress(RefusedError):
                found |= self._found(some, end, max(0.0, share_s))
        return found

    def _leaders(self, topics: Collection[str], timeout_s: float) -> dict[QueueRef, int]:
        """The queues that there are, and who leads each; the consumer would ask without a limit."""
        asked = self._about.ask(lambda admin: admin.describe_topics(list(topics)))
        return {
            QueueRef(topic["name"], "", it["partition_index"]): it["leader_id"]
            for topic in self._about.answer(asked, timeout_s)
            for it in topic["partitions"]
        }

    def _found(self, queues: list[QueueRef], end: Start, timeout_s: float) -> dict[QueueRef, int]:
        places, timeout_ms = list(map(_place, queues)), int(timeout_s * 1_000)
        with self._refusals() as consumer:
            if end == "earliest":
                found = consumer.beginning_offsets(places, timeout_ms=timeout_ms)
            elif isinstance(end, datetime):
                since = dict.fromkeys(places, int(end.timestamp() * 1_000))
                times = consumer.offsets_for_times(since, timeout_ms=timeout_ms)
                found = {it: -1 if at is None else at.offset for it, at in times.items()}
            else:
                found = consumer.end_offsets(places, timeout_ms=timeout_ms)
        return {_queue_of(it): at for it, at in found.items()}

    def close(self) -> None:
        """Read nothing more."""
        self._about.drop()
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close(autocommit=False)

    def _follow(self) -> None:
        """Have the consumer read what is to be read, from where it is to be read."""
        consumer, now = self._consumer, now_s()
        if consumer is None:
            return
        if self._fresh or self._assigned != self._places.keys():
            consumer.assign(list(map(_place, self._places)))
            for queue in self._fresh:
                consumer.seek(_place(queue), self._places[queue])
            self._assigned, self._fresh = set(self._places), set()
        self._rests = {queue: until for queue, until in self._rests.items() if now < until}
        idle = {
            _place(it) for it in self._places.keys() & {*self._paused, *self._rests, *self.astray}
        }
        before = consumer.paused()
        consumer.pause(*idle - before)
        consumer.resume(*before - idle)

    def _hear(self, error: KafkaError, unread: TopicPartition | None) -> None:
        """Leave out what cannot be read, so that the others are."""
        match error:
            case OffsetOutOfRangeError():
                self._lose(dict.fromkeys(error.args[0]))
                return
            case LogTruncationError():
                self._lose(error.divergent_offsets)
                return
            case TopicAuthorizationFailedError() if error.args:
                until = now_s() + _REST_S
                self._rests |= {it: until for it in self._places if it.topic in error.args[0]}
            case _ if unread is not None:
                self._rests[_queue_of(unread)] = now_s() + _REST_S
            case _:
                time.sleep(self.slice_s)  # it may be raised again at once
        self.troubles.append(RefusedError(error, topics=_denied(error)))

    def _lose(self, places: Mapping[TopicPartition, Any]) -> None:
        """Kafka does not have the next of these; some were cut, or (in epoch 0) are made anew."""
        lost = self._places.keys() & set(map(_queue_of, places))
        cuts = {_queue_of(it): at.offset for it, at in places.items() if at and at.leader_epoch > 0}
        self.astray = {it: cuts.get(it, self.astray.get(it)) for it in lost | self.astray.keys()}

    @contextmanager
    def _refusals(self) -> Iterator[Any]:
        if self._consumer is None:
            raise RefusedError(TransportError("not connected yet"))
        try:
            yield self._consumer
        except KafkaError as error:
            raise RefusedError(error) from error
        except KeyError as error:  # of a queue that is not there, kafka-python 3.0 does not say so
            raise RefusedError(UnknownTopicOrPartitionError(*error.args)) from error


def _place(queue: QueueRef) -> TopicPartition:
    return TopicPartition(queue.topic, queue.id)


def _queue_of(place: TopicPartition) -> QueueRef:
    return QueueRef(place.topic, "", place.partition)


def _denied(error: KafkaError) -> Collection[str]:
    """The topics that may not be read."""
    is_denied = isinstance(error, TopicAuthorizationFailedError) and error.args
    return error.args[0] if is_denied and not isinstance(error.args[0], str) else ()
