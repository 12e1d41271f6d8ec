"""What a controller that starts says, in a log for tests, and what is said to it."""

from collections.abc import Sequence
from typing import Any

from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName
from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.packed import unpack
from streaming.wire.rows import Row
from tests.builders.log import Log, rules
from trimtab.protocol import (
    HEARTBEATS,
    ROUTES,
    TICK_KEY,
    TOLD_KEY,
    Tick,
    Told,
    Topic,
    decode,
    partition_of,
)

RULES = rules()
BILLING = GroupName("billing")
PLACE = partition_of("billing", 8)
OLD, NEW = "1767312000000-0b5e55ed", "1767399999999-0b5e55ed"
THIRD = "1767400000000-0b5e55ed"


def told(log: Log, start: str, at: int, *, whole: bool, count: int = 0) -> Row:
    """A controller begins to tell what is published, or has told so much of it."""
    record = Told(controller="c", start=start, whole=whole, counts=(count,) if whole else None)
    return log.append(ROUTES, TOLD_KEY, record, at=at, partition=PLACE)


def tick(log: Log, start: str, number: int, seen: int | None, at: int) -> Row:
    """A controller ticks."""
    record = Tick(controller="c", number=number, start=start, seen=seen)
    return log.append(HEARTBEATS, TICK_KEY, record, at=at, partition=PLACE)


def state_of(cell: Cell) -> GroupState:
    """What a cell knows of the group."""
    return unpack(cell.groups.by_name()[BILLING])


def on(topic: Topic[Any], records: Sequence[Record]) -> list[Any]:
    """What was said on a topic."""
    return [decode(topic, it.value) for it in records if it.topic == f"t.{topic.name}" and it.value]
