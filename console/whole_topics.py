"""Whole topics, read from the first record there is to the last one at the start.

Every partition is read to its end of this moment, whatever is appended meanwhile; or only that of
one key, and from a moment on.

Called by ``published``, ``operator_commands``, `trimtab replay` and `check`. Its one rule: it joins
no group and commits nothing, so it disturbs no consumer.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import ClusterMetadata  # type: ignore[attr-defined]  # public, but only for Python

from console.cluster import native_options
from console.errors import Away, ExitCode, Failure
from console.met import Met
from console.settings import Settings
from console.topics import forbidden, leaderless, unled
from trimtab.protocol import partition_of

_TIMEOUT_S = 15.0
"""How long a broker may say nothing; a healthy one answers in milliseconds."""
_FIRST_S = 10.0
"""The same of the first answer: that none comes is to be said within 15 s of the start."""
_LEADER_S = 5.0
"""How long a partition may have no leader; a new one has none for milliseconds."""
_PAUSE_S = 0.1

_PASSING: Final = {
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
}
"""What a broker answers for a moment to whoever asks for a partition that is new, or moves."""
_FORBIDDEN: Final = {
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
}
"""What no waiting mends."""

_Place = tuple[str, int]
Since = int | Mapping[int, int]
"""From a moment on, in milliseconds since 1970; or these partitions, each from an offset on."""


class Topics(Protocol):
    """What answers which partitions a topic has."""

    def list_topics(self, topic: str, timeout: float, /) -> ClusterMetadata:
        """Return what is known of it."""


class Offsets(Protocol):
    """What answers where a partition begins and ends."""

    def get_watermark_offsets(self, place: TopicPartition, timeout: float, /) -> tuple[int, int]:
        """Return the first offset and the one after the last."""


def messages(
    settings: Settings,
    servers: str,
    topics: Sequence[str],
    *,
    key: str | None = None,
    since: Since | None = None,
    led_only: bool = False,
) -> Iterator[Message]:
    """Read topics; the messages of a partition come in their order.

    With a ``key``, a group's or a cluster's, only the partition that all about it is in. With
    ``led_only`` partitions without a leader are left out.

    Raises:
        Away: Kafka does not answer, or a partition has no leader.
        Failure: It has no such topic, or the caller may not read it.
    """
    with _reading(settings, servers, topics) as consumer:
        places = [
            TopicPartition(topic, it)
            for topic in topics
            for it in _wanted(consumer, topic, key, led_only=led_only)
        ]
        yield from _read(consumer, places, since)


def ends(settings: Settings, servers: str, topic: str) -> dict[int, int | None]:
    """Return where each partition of a topic ends now; None: it has no leader.

    Raises:
        Away: Kafka does not answer.
        Failure: It has no such topic, or the caller may not read it.
    """
    with _reading(settings, servers, [topic]) as consumer:
        return {
            it: offsets(consumer, TopicPartition(topic, it))[1] if is_led else None
            for it, is_led in partitions(consumer, topic).items()
        }


def end_of(settings: Settings, servers: str, topic: str, key: str) -> TopicPartition:
    """Return where the partition ends that all about a key is in; its leader is waited for.

    Raises:
        Away: Kafka does not answer, or it has no leader.
        Failure: It has no such topic, or the caller may not read it.
    """
    with _reading(settings, servers, [topic]) as consumer:
        (number,) = _wanted(consumer, topic, key, led_only=False)
        return TopicPartition(topic, number, offsets(consumer, TopicPartition(topic, number))[1])


def count(settings: Settings, servers: str, topic: str) -> int:
    """Return how many partitions a topic has, whatever the settings here say.

    Raises:
        Away: Kafka does not answer.
        Failure: It has no such topic, or the caller may not look.
    """
    with _reading(settings, servers, [topic]) as consumer:
        return len(partitions(consumer, topic))


@contextmanager
def _reading(settings: Settings, servers: str, topics: Sequence[str]) -> Iterator[Consumer]:
    met = Met()
    consumer = Consumer(
        {
            **native_options(settings),
            "bootstrap.servers": servers,
            "group.id": "trimtab-reading",  # never joined
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",  # where Kafka deletes meanwhile: not the end
            "enable.partition.eof": True,  # the last records may have been compacted away
            "fetch.wait.max.ms": 10,  # there is nothing to wait for
            "log_level": 2,
            "error_cb": met,
        }
    )
    try:
        yield consumer
    except KafkaException as error:
        if error.args[0].code() in _FORBIDDEN:
            reason = error.args[0].str()
            raise Failure(f"no right to read {', '.join(topics)}: {reason}") from error
        consumer.poll(0)  # so it tells what it has met
        why = met.beside(error.args[0])
        raise Away(f"Kafka does not answer at {servers}: {why}") from error
    finally:
        consumer.close()


def _read(
    consumer: Consumer, places: Iterable[TopicPartition], since: Since | None
) -> Iterator[Message]:
    left = dict(_filled(consumer, places))
    if since is not None:
        left = _younger(consumer, left, since)
    consumer.assign([TopicPartition(*place, first) for place, (first, _) in left.items()])
    while left:
        message = consumer.poll(_TIMEOUT_S)
        if message is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "it has stopped answering"))  # noqa: SLF001 - its documented name
        place, error = (str(message.topic()), message.partition() or 0), message.error()
        if error is not None and error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
            continue  # the client looks for a coordinator of its group, which we never need
        if error is not None and error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001 - its documented name
            raise _ending(error, place[0])
        if error is None and place in left:
            yield message
        if error is not None or (message.offset() or 0) + 1 >= left.get(place, (0, 0))[1]:
            left.pop(place, None)


def _wanted(consumer: Topics, topic: str, key: str | None, *, led_only: bool) -> list[int]:
    """Return which partitions are to be read; one that gets a leader soon is waited for."""
    deadline = time.monotonic() + _LEADER_S
    while True:
        led = partitions(consumer, topic)
        wanted = [*led] if key is None else [partition_of(key, len(led))]
        lost = [it for it in wanted if not led[it]]
        if led_only or not lost:
            return [it for it in wanted if led[it]]
        if time.monotonic() > deadline:
            raise leaderless(topic, lost)
        time.sleep(_PAUSE_S)


def _filled(
    consumer: Consumer, places: Iterable[TopicPartition]
) -> Iterator[tuple[_Place, tuple[int, int]]]:
    for it in places:
        first, end = offsets(consumer, it)
        if end > first:
            yield (it.topic, it.partition), (first, end)


def partitions(consumer: Topics, topic: str) -> dict[int, bool]:
    """Return the partitions of a topic, and whether each has a leader.

    Raises:
        Failure: It is not there, or may not be looked at.
        KafkaException: Kafka does not know yet.
    """
    deadline = time.monotonic() + _FIRST_S
    while True:
        found = consumer.list_topics(topic, _FIRST_S).topics[topic]
        if (error := found.error) is None:
            lost = unled(found)
            return {it: it not in lost for it in sorted(found.partitions)}
        if error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            remedy = "`trimtab topics init` makes what is missing of trimtab's own"
            raise Failure(f"there is no topic {topic}; {remedy}", ExitCode.NOT_FOUND)
        if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
            raise forbidden("Describe", topic)
        if error.code() not in _PASSING:
            raise Failure(f"topic {topic} cannot be read: {error.str()}")
        if time.monotonic() > deadline:
            raise KafkaException(error)
        time.sleep(_PAUSE_S)


def _ending(error: KafkaError, topic: str) -> Exception:
    """Return what ends the reading of a topic."""
    if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        return forbidden("Read", topic)
    return KafkaException(error)


def _younger(
    consumer: Consumer, places: dict[_Place, tuple[int, int]], since: Since
) -> dict[_Place, tuple[int, int]]:
    """Begin later in each partition; leave out those that end before that, or are not named."""
    if not isinstance(since, int):
        begun = {
            it: (max(first, since.get(it[1], end)), end) for it, (first, end) in places.items()
        }
        return {it: (first, end) for it, (first, end) in begun.items() if first < end}
    asked = [TopicPartition(*place, since) for place in places]
    found = consumer.offsets_for_times(asked, _TIMEOUT_S) if asked else ()
    return {
        (it.topic, it.partition): (it.offset, places[it.topic, it.partition][1])
        for it in found
        if it.offset >= 0
    }


def offsets(consumer: Offsets, place: TopicPartition) -> tuple[int, int]:
    """Return the first offset and the one after the last."""
    deadline = time.monotonic() + _TIMEOUT_S
    while True:
        try:
            return consumer.get_watermark_offsets(place, _TIMEOUT_S)
        except KafkaException as error:
            if error.args[0].code() not in _PASSING or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)
