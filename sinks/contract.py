"""What a sink makes: records that are ready to be written.

Topic, partition, key, value and headers are all decided here, so that the shell (Spark's Kafka
sink) only writes them. The same decision always makes the same bytes: a batch that is replayed
writes the same records again, and readers do not notice, because they drop what is not newer.

Made by the other modules of ``sinks``, written by ``streaming.pipeline``. Its one rule: a record is
complete, and no later stage adds to it. ``redis`` repeats what was written, for clients without
Kafka.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from rebalance.ids import Epoch, GroupName
from trimtab import protocol
from trimtab.protocol import Topic, encode, partition_of

Header = tuple[str, bytes]


class Record(NamedTuple):
    """One record, with the columns of Spark's Kafka sink in its order."""

    topic: str
    partition: int
    key: bytes
    value: bytes | None
    """None is a tombstone: what was said under this key is withdrawn."""
    headers: tuple[Header, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where this controller's topics are."""

    prefix: str
    """What the names of all its topics begin with."""
    partitions: int
    """How many partitions each of them has."""

    def topic(self, topic: Topic[Any]) -> str:
        """Return the topic's name on the cluster."""
        return f"{self.prefix}{topic.name}"

    def partition(self, name: str) -> int:
        """Return the partition that holds everything about ``name``, whatever a record's key."""
        return partition_of(name, self.partitions)


def headers(record: protocol.Record, epoch: Epoch | None = None) -> tuple[Header, ...]:
    """Say what a value is, so that a reader may route or skip it unread."""
    described = (
        ("content-type", b"application/json"),
        ("schema", f"trimtab.{record.kind}/{record.v}".encode()),
    )
    return described if epoch is None else (*described, ("epoch", str(epoch).encode()))


def keyed_by_group(
    outlet: Outlet,
    topic: Topic[Any],
    group: GroupName,
    record: protocol.Record,
    epoch: Epoch | None,
) -> Record:
    """Address a record whose key is its group."""
    return Record(
        outlet.topic(topic),
        outlet.partition(group),
        group.encode(),
        encode(record),
        headers(record, epoch),
    )
