"""What a controller that starts says, in a log for tests, and what is said to it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName
from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.gate import SHUT, Opening
from streaming.cell.hearing import CellRules
from streaming.cell.packed import unpack
from streaming.startup.published import Found, PublishedState
from streaming.wire.rows import Row
from tests.builders.log import Log, join, leave, route, rules
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
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


def worked(log: Log) -> list[Record]:
    """A controller works for a while: three members have two queues each."""
    log.append(MEMBERS, "billing", join("gone"), at=900)
    log.append(MEMBERS, "billing", leave("gone"), at=901)
    for name in "abc":
        log.append(MEMBERS, "billing", join(name), at=1_000)
    log.append(ROUTES, "billing", route(queues=6), at=1_000)
    told(log, OLD, 1_000, whole=False)
    told(log, OLD, 1_000, whole=True)
    tick(log, OLD, 0, None, 1_000)
    tick(log, OLD, 1, 0, 2_000)
    return fold(Cell(gate=SHUT), log.rows, RULES).records


def found_of(published: Sequence[Record], start: str) -> list[Found]:
    """What a start finds of what was published."""
    board = PublishedState(start)
    for record in published:
        if record.topic == "t.assignments":
            board.assignment(record.key, record.value)
        elif record.topic == "t.groups":
            board.summary(record.key, record.value)
    return list(board.found())


def starts(log: Log, published: Sequence[Record], at: int, name: str = NEW) -> CellRules:
    """Another controller starts, and is told what is published; another checkpoint is its own."""
    begun = told(log, name, at, whole=False)
    notices = found_of(published, name)
    for found in notices:
        log.append(ROUTES, found.group, found.record, at=at)
    told(log, name, at, whole=True, count=len(notices))
    tick(log, name, 0, None, at)
    tick(log, name, 1, 0, at + 2_000)
    return replace(RULES, opening=Opening(name, begun.offset))
