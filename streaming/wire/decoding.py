"""Decoding: rows become events of a group or of a cluster's brokers, or dead letters.

A row counts only if its key is a group's name, its partition is the group's, and its value keeps
the contract. Every other row is set aside with the reason, and affects no other row: a client that
writes bad records costs one record of ours for each of its own, and no more (fault F9).

The partition matters as much as the bytes: a producer with another partitioner would put a group's
joins in one cell and its beats in another, and two cells would decide about one group.

Called by ``fold`` for each row but ticks. Its one rule: a row is an event or a dead letter (one
that went to every cell: some of them, or none), and never an exception.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from rebalance.brokers.events import BrokerEvent, ClusterName, Reported
from rebalance.groups.model.events import Event, Found
from rebalance.ids import GroupName
from rebalance.stamp import Stamp
from sinks import BadRecord
from streaming.wire.fast_reports import report_of
from streaming.wire.reports import broker_event_of
from streaming.wire.rocketmq import CellPlace, taken
from streaming.wire.rows import Row
from streaming.wire.translation import event_of, stated
from trimtab.protocol import (
    COMMANDS,
    HEARTBEATS,
    LATENCY,
    ROCKETMQ,
    ROUTES,
    START_KEY,
    TICK_KEY,
    TOLD_KEY,
    DeadLetter,
    Pace,
    Place,
    Record,
    Topic,
    UndecodableRecord,
    decode,
    partition_of,
    read_group_key,
)

_GROUPS_REMEMBERED = 100_000
"""Names whose partition a worker need not compute again; about 20 MB when full."""

_PACE = b'"pace"'
"""What such a command has in it; others are not decoded to find out."""

_AHEAD_MS = 86_400_000
"""A day: clocks are wrong by hours, or by a time zone (fault B1)."""


class OfGroup(NamedTuple):
    """An event and the group it is for."""

    group: GroupName
    event: Event | Found


class OfCluster(NamedTuple):
    """What was said of a cluster's brokers."""

    cluster: ClusterName
    event: BrokerEvent


@dataclass(frozen=True)
class Decoder:
    """Reads the rows of one controller's topics."""

    topics: Mapping[str, Topic[Any]]
    """The topics by their names on the cluster."""
    partitions: int
    """How many partitions each of them has."""
    place: CellPlace | None = None
    """The cell whose groups are read out of RocketMQ's heartbeats; None: all groups."""

    @cached_property
    def heartbeats(self) -> str:
        """The topic that moves the log clock."""
        return next(name for name, topic in self.topics.items() if topic is HEARTBEATS)

    def is_tick(self, row: Row) -> bool:
        """Tell a tick: by its place and key. What its value says is for ``gate``."""
        return row.key == TICK_KEY and row.topic == self.heartbeats

    def is_start(self, row: Row) -> bool:
        """Tell the start of a controller, in the same way."""
        return row.key == START_KEY and self.topics[row.topic] is ROUTES

    def is_of_many_groups(self, row: Row) -> bool:
        """Tell a record that concerns groups of many cells."""
        return self.topics[row.topic] is ROCKETMQ

    def is_of_others(self, row: Row) -> bool:
        """Tell a record of many groups of which none lives here."""
        if not self.is_of_many_groups(row):
            return False
        return next(taken(row, self.place, self.partitions), None) is None

    def said_here(self, row: Row) -> Hashable:
        """Return what such a record says of groups that live here, in whatever order it does.

        RocketMQ's clients write their groups in another order each time.
        """
        said = taken(row, self.place, self.partitions)
        return frozenset(str(it) if isinstance(it, UndecodableRecord) else it for it in said)

    def is_pace(self, row: Row) -> bool:
        """Tell the controller's own command to beat at some pace: the last one counts."""
        if self.topics[row.topic] is not COMMANDS or _PACE not in (row.value or b""):
            return False
        try:
            return isinstance(self._record(row), Pace)
        except UndecodableRecord:
            return False

    def is_told(self, row: Row) -> bool:
        """Tell the words of a starting controller before and after all that is published."""
        return row.key == TOLD_KEY and self.topics[row.topic] is ROUTES

    def is_found(self, row: Row) -> bool:
        """Tell a record that may stand between them: it has the key of its group."""
        return self.topics[row.topic] is ROUTES and row.key not in {START_KEY, TOLD_KEY}

    def heard(self, row: Row, stamp: Stamp) -> Iterable[OfGroup | OfCluster | BadRecord]:
        """Make events of a row, whatever it is; of a start none: that is for others."""
        if self.is_start(row) or self.is_told(row):
            return ()
        return self.take(row, stamp) if self.is_of_many_groups(row) else (self.read(row, stamp),)

    def take(self, row: Row, stamp: Stamp) -> Iterator[OfGroup | BadRecord]:
        """Make events of a RocketMQ heartbeat: one for each of its groups that lives here."""
        for said in taken(row, self.place, self.partitions):
            if isinstance(said, UndecodableRecord):
                yield dead_letter_of(row, said)
            else:
                yield OfGroup(GroupName(said.group), stated(said, stamp))

    def read(self, row: Row, stamp: Stamp) -> OfGroup | OfCluster | BadRecord:
        """Make an event of a row."""
        try:
            name = self._addressee(row)
            if row.topic == self.heartbeats:  # nothing there is about brokers
                return OfGroup(name, event_of(self._record(row), stamp))
            said: BrokerEvent | None = self._report(row, stamp)
            if said is None:
                record = self._record(row)
                said = broker_event_of(record, stamp)
                if said is None:
                    return OfGroup(name, event_of(record, stamp))
            return OfCluster(ClusterName(name), _of_this_time(said))
        except UndecodableRecord as error:
            return dead_letter_of(row, error)

    def is_stray(self, row: Row) -> bool:
        """Tell a record in a partition that its topic was given later: no cell has it."""
        return row.partition >= self.partitions

    def stray(self, row: Row) -> BadRecord:
        """Set aside such a record."""
        reason = (
            f"partition {row.partition} of topics that have {self.partitions}: they cannot get "
            "more while groups use them"
        )
        return dead_letter_of(row, UndecodableRecord("misrouted", reason))

    def _report(self, row: Row, stamp: Stamp) -> Reported | None:
        topic = self.topics[row.topic]
        if topic is not LATENCY or row.value is None or row.size > topic.max_record_bytes:
            return None
        return report_of(row.value, stamp)

    def _addressee(self, row: Row) -> GroupName:
        group, partition = _located(row.key, self.partitions)
        if row.partition != partition:
            raise UndecodableRecord(
                "misrouted",
                f"partition {row.partition} is not the group's {partition}: "
                "producers must partition by murmur2, as Java's do",
            )
        return group

    def _record(self, row: Row) -> Record:
        topic = self.topics[row.topic]
        if row.size > topic.max_record_bytes:
            raise UndecodableRecord(
                "oversize", f"{row.size} bytes, more than {topic.max_record_bytes}"
            )
        if row.value is not None and row.size > len(row.value):
            raise UndecodableRecord("garbage", f"{row.size} bytes, and no field kind")
        record: Record = decode(topic, row.value)
        return record


def _of_this_time(event: BrokerEvent) -> BrokerEvent:
    """Refuse a reporter whose life begins in the future: of two, the younger one is believed."""
    if isinstance(event, Reported) and event.incarnation is not None:
        latest = f"{event.stamp.appended + _AHEAD_MS:013d}"
        if event.incarnation > latest:
            raise UndecodableRecord("refused", "incarnation: begins more than a day from now")
    return event


def dead_letter_of(row: Row, error: UndecodableRecord) -> BadRecord:
    """Make a dead letter of a row."""
    place = Place(row.topic, row.partition, row.offset, row.appended_ms)
    letter = DeadLetter.of(error, place, row.key, row.value, row.size)
    return BadRecord(letter, row.key, row.value)


@lru_cache(_GROUPS_REMEMBERED)
def _located(key: bytes | None, partitions: int) -> tuple[GroupName, int]:
    return GroupName(read_group_key(key)), partition_of(key or b"", partitions)
