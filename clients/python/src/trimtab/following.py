"""Following: who works on what in a group, for programs that are no members of it.

    for member, assignment in follow("localhost:9092", group="billing"):
        print(member, assignment and list(assignment.hold))

Who only reads may know, and not work: a member beats, and stops before others begin. A compacted
topic still has some of what each member was told before, so it is read to where it ended first, and
then the last of each is told. Kafka removes the tombstone of who is gone after a day; so who was
cut off for long reads all of it again. Its one rule: nothing is written, and of a member nothing
that is older comes after what is newer, also when it was gone in between.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from trimtab.errors import ConfigurationError, TransportError, UndecodableRecord
from trimtab.partition_reading import END, PartitionReading
from trimtab.protocol import (
    ASSIGNMENTS,
    DEFAULT_PREFIX,
    Assignment,
    decode,
    read_member_key,
)
from trimtab.transports import installed
from trimtab.transports.link import Link
from trimtab.transports.rights import denied

if TYPE_CHECKING:
    from confluent_kafka import Message

_LOGGER: Final = logging.getLogger("trimtab")
_APART: Final = re.compile(r"@[0-9]{13}-[0-9a-f]{8}\Z")
"""What the name of a life of its own ends with."""
_MOST_GONE: Final = 10_000
"""Of so many that are gone it is kept what they were told last: a late record comes soon."""


class Followed(NamedTuple):
    """What a member is to do now."""

    member: str
    """As the group knows it: where twins are told apart, `<name>@<incarnation>`."""
    assignment: Assignment | None
    """None: the group does not know the member any more."""

    def has_name(self, name: str) -> bool:
        """Whether a member is called so, or is one of those that share the name."""
        return name in (self.member, _APART.sub("", self.member))


class Following:
    """What the members of a group were told last."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._present: dict[str, Assignment] = {}
        """In the order in which they were told."""
        self._gone: dict[str, tuple[str, int]] = {}

    def caught_up(self, read: "Following") -> list[Followed]:
        """Take what another one has read from the beginning; return what was not known."""
        there = read._present  # noqa: SLF001 - its own kind
        told = [self._left(it) for it in list(self._present) if it not in there]
        told += [self._told(*it) for it in there.items()]
        for it in read._gone.items():  # noqa: SLF001 - as above
            self._note(*it)
        return [it for it in told if it is not None]

    def news(self, key: bytes | None, value: bytes | None) -> Followed | None:
        """Take a record, and return what it says of this group that was not known."""
        try:
            name = read_member_key(key)
            if name.group != self._group:
                return None
            record = None if value is None else decode(ASSIGNMENTS, value)
        except UndecodableRecord as error:
            _LOGGER.warning("following: %s", error)
            return None
        return self._left(name.member) if record is None else self._told(name.member, record)

    def _left(self, member: str) -> Followed | None:
        last = self._present.pop(member, None)
        if last is None:
            return None
        self._note(member, _place(last))
        return Followed(member, None)

    def _note(self, member: str, last: tuple[str, int]) -> None:
        """Keep what was told last of who is gone."""
        self._gone[member] = max(last, self._gone.pop(member, last))
        if len(self._gone) > _MOST_GONE:
            del self._gone[next(iter(self._gone))]

    def _told(self, member: str, record: Assignment) -> Followed | None:
        before = self._present.get(member)
        last = _place(before) if before else self._gone.get(member)
        # Of an older controller that was frozen a record may come late: its epoch is smaller.
        if last and record.incarnation <= last[0] and record.epoch <= last[1]:
            return None
        self._present.pop(member, None)
        self._gone.pop(member, None)
        self._present[member] = record
        return Followed(member, record)


class _Word(Enum):
    """What is said between records."""

    END = auto()
    """There is nothing more for now."""
    ANEW = auto()
    """What follows begins at the beginning."""


def _place(record: Assignment) -> tuple[str, int]:
    return record.incarnation, record.epoch


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

    Where twins are told apart, of all that have this name, each as `<name>@<incarnation>`.

    It needs confluent-kafka, and the right to read `assignments`; `kafka` has its options.
    It waits without an end, unless `is_over` says so: it is asked twice a second.

    Raises:
        TransportError: Kafka cannot be reached, or denies, or the topic is not there.
        ConfigurationError: An option of `kafka` is wrong.
    """
    installed("confluent")
    from confluent_kafka import KafkaException  # noqa: PLC0415 - optional

    from trimtab.transports.confluent_said import said  # noqa: PLC0415 - as above

    topic, link = prefix + ASSIGNMENTS.name, Link.of_confluent(bootstrap_servers, kafka or {})
    reads = {
        "group.id": f"{group}.following",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",  # when the log was cut, or made anew: what is old is none
        "enable.partition.eof": True,  # the end may be reached without a record
    }
    try:
        settings = {"bootstrap.servers": bootstrap_servers, **(kafka or {}), **reads}
        reading = PartitionReading(settings)
    except (KafkaException, TypeError, ValueError) as error:
        raise ConfigurationError(f"kafka: {said(error)}") from error
    try:
        end = reading.begin(topic, group)
        for told in _told(_records(reading, link, topic, is_over), group, end):
            if member is None or told.has_name(member):
                yield told
    except KafkaException as error:
        raise TransportError(f"following, by Kafka at {link.place}: {said(error)}") from error
    finally:
        reading.close()


def _records(
    reading: PartitionReading, link: Link, topic: str, is_over: Callable[[], object]
) -> "Iterator[Message | _Word]":
    """Yield each record, and words between them."""
    from confluent_kafka import KafkaError  # noqa: PLC0415 - optional

    while not is_over():
        message = reading.poll()
        if reading.anew:
            reading.anew = False
            yield _Word.ANEW
        if message is None:
            continue
        if (error := message.error()) is None:
            yield message
        elif error.name() == END:
            yield _Word.END
        elif error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
            raise TransportError(denied(link, topic, "Read"))
        else:
            _LOGGER.warning("following: %s", error.str())  # librdkafka tries again


def _told(records: "Iterator[Message | _Word]", group: str, end: int | None) -> Iterator[Followed]:
    """Yield the last of each as it is where the topic ends, and then what is new."""
    following = Following(group)
    while (read := _whole(records, group, end)) is not None:
        yield from following.caught_up(read)
        yield from _news(records, following)
        end = None  # it is elsewhere by now


def _whole(records: "Iterator[Message | _Word]", group: str, end: int | None) -> Following | None:
    """Return what the topic says from its beginning to its end.

    None: it was told to stop before. Nobody knows then who is gone: it may all be long past.
    """
    read = Following(group)
    for said in records:
        if said is _Word.ANEW:
            read = Following(group)
        elif isinstance(said, _Word):
            return read
        else:
            read.news(said.key(), said.value())
            if end is not None and (said.offset() or 0) + 1 >= end:
                return read
    return None


def _news(records: "Iterator[Message | _Word]", following: Following) -> Iterator[Followed]:
    """Yield what is new, until it is read from the beginning."""
    for said in records:
        if said is _Word.ANEW:
            return
        if not isinstance(said, _Word) and (news := following.news(said.key(), said.value())):
            yield news
