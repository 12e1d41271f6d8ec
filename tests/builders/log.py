"""A log for tests: records are appended and come back as the rows that Spark would hand over.

log = Log()
log.append(MEMBERS, "billing", join("a"), at=1_000)
fold(Cell(), log.rows, RULES)
"""

from dataclasses import dataclass, field
from typing import Any

from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis
from streaming.cell.hearing import CellRules
from streaming.wire.rows import Row
from trimtab.protocol import (
    HEARTBEATS,
    TICK_KEY,
    Beat,
    Join,
    Leave,
    Record,
    Route,
    RunRef,
    Tick,
    Topic,
    encode,
    partition_of,
)

PREFIX = "t."
PARTITIONS = 8
LIFE = "1767225600000-9f86d081"


def rules(policy: Policy | None = None) -> CellRules:
    """The rules of a controller."""
    return CellRules.of(PREFIX, PARTITIONS, policy or Policy(strategy="AVG"), VerdictPolicy())


def join(member: str, *topics: str, sequence: int = 1, **wishes: object) -> Join:
    """A member joins."""
    wanted = topics or ("orders",)
    plain = Join(member=member, incarnation=LIFE, sequence=sequence, topics=wanted)
    return plain.model_copy(update=wishes)


def leave(member: str, sequence: int = 9) -> Leave:
    """A member leaves."""
    return Leave(member=member, incarnation=LIFE, sequence=sequence)


def beat(member: str, sequence: int = 1, epoch: int = 1) -> Beat:
    """A member beats."""
    return Beat(member=member, incarnation=LIFE, sequence=sequence, epoch=epoch)


def route(topic: str = "orders", queues: int = 2, version: int = 1) -> Route:
    """The watcher saw a topic."""
    return Route(topic=topic, version=version, exists=True, runs=(RunRef("", 0, queues),))


@dataclass
class Log:
    """Topics with partitions that grow."""

    rows: list[Row] = field(default_factory=list)
    ends: dict[tuple[str, int], int] = field(default_factory=dict)

    def append(
        self,
        topic: Topic[Any],
        key: str | bytes | None,
        value: Record | bytes | None,
        *,
        at: int,
        partition: int | None = None,
    ) -> Row:
        """Append a record to the partition of its key, or to another one."""
        data = key.encode() if isinstance(key, str) else key
        content = encode(value) if isinstance(value, Record) else value
        where = partition_of(data or b"", PARTITIONS) if partition is None else partition
        place = (f"{PREFIX}{topic.name}", where)
        offset = self.ends.get(place, 0)
        self.ends[place] = offset + 1
        row = Row(*place, offset, at, data, content, len(content or b""))
        self.rows.append(row)
        return row

    def tick(self, group: str, *, at: int) -> Row:
        """Tick in the heartbeat partition of a group."""
        value = Tick(controller="test", number=at)
        partition = partition_of(group, PARTITIONS)
        return self.append(HEARTBEATS, TICK_KEY, value, at=at, partition=partition)

    def read(self) -> list[Row]:
        """Return what is new since the last call."""
        rows, self.rows = self.rows, []
        return rows


def millis(number: int) -> Millis:
    """Write a time."""
    return Millis(number)
