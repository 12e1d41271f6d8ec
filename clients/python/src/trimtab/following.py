"""Following: who works on what in a group, for programs that are no members of it.

    for member, assignment in follow("localhost:9092", group="billing"):
        print(member, assignment and list(assignment.hold))

Who only reads may know, and not work: a member beats, and stops before others begin. Its one rule:
nothing is written, and of a member nothing that is older comes after what is newer.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from trimtab.errors import TransportError, UndecodableRecord
from trimtab.protocol import (
    ASSIGNMENTS,
    DEFAULT_PREFIX,
    Assignment,
    decode,
    partition_of,
    read_member_key,
)
from trimtab.transports import installed
from trimtab.transports.link import Link
from trimtab.transports.rights import denied

if TYPE_CHECKING:
    from confluent_kafka import Consumer

_LOGGER: Final = logging.getLogger("trimtab")
_PATIENCE_S: Final = 10.0
_LOOK_S: Final = 0.5
"""How late it ends when it is told to."""


class Followed(NamedTuple):
    """What a member is to do now."""

    member: str
    assignment: Assignment | None
    """None: the group does not know the member any more."""


def follow(
    bootstrap_servers: str,
    *,
    group: str,
    member: str | None = None,
    prefix: str = DEFAULT_PREFIX,
    kafka: Mapping[str, Any] | None = None,
    is_over: Callable[[], object] = bool,
) -> Iterator[Followed]:
    """Yield the last assignment of each member of a group, or of one, and then each as it comes.

    It needs confluent-kafka, and the right to read `assignments`; `kafka` has its options.
    It waits without an end, unless `is_over` says so: it is asked twice a second.

    Raises:
        TransportError: Kafka cannot be reached, or denies, or the topic is not there.
    """
    installed("confluent")
    from confluent_kafka import Consumer, KafkaError, KafkaException  # noqa: PLC0415 - optional

    topic, known = prefix + ASSIGNMENTS.name, dict[str, Assignment]()
    link = Link.of_confluent(bootstrap_servers, kafka or {})
    reads = {"group.id": f"{group}.following", "enable.auto.commit": False}
    consumer = Consumer({"bootstrap.servers": bootstrap_servers, **(kafka or {}), **reads})
    try:
        _assign(consumer, topic, group)
        while not is_over():
            if (message := consumer.poll(_LOOK_S)) is None:
                continue
            if (error := message.error()) is not None:
                if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                    raise TransportError(denied(link, topic, "Read"))
                _LOGGER.warning("following: %s", error.str())  # librdkafka tries again
                continue
            news = _news(message.key(), message.value(), group, known)
            if news is not None and member in (None, news.member):
                yield news
    except KafkaException as error:
        raise TransportError(f"following, by Kafka at {link.place}: {error}") from error
    finally:
        consumer.close()


def _assign(consumer: "Consumer", topic: str, group: str) -> None:
    """Read from the beginning what concerns this group: it is in one partition."""
    from confluent_kafka import OFFSET_BEGINNING, TopicPartition  # noqa: PLC0415 - optional

    count = len(consumer.list_topics(topic, _PATIENCE_S).topics[topic].partitions)
    if not count:
        raise TransportError(f"topic {topic} does not exist, or may not be described")
    consumer.assign([TopicPartition(topic, partition_of(group, count), OFFSET_BEGINNING)])


def _news(
    key: bytes | None, value: bytes | None, group: str, known: dict[str, Assignment]
) -> Followed | None:
    """What a record says of this group that was not known."""
    try:
        name = read_member_key(key)
        if name.group != group:
            return None
        if value is None:
            return Followed(name.member, None) if known.pop(name.member, None) else None
        record = decode(ASSIGNMENTS, value)
    except UndecodableRecord as error:
        _LOGGER.warning("following: %s", error)
        return None
    before = known.get(name.member)
    # Of an older controller that was frozen a record may come late: its epoch is smaller.
    if before and record.incarnation <= before.incarnation and record.epoch <= before.epoch:
        return None
    known[name.member] = record
    return Followed(name.member, record)
