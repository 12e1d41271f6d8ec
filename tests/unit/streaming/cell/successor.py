"""What a controller has published that is no more, and what its successor is told of that."""

from typing import Any

from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.wire.rows import Row
from tests.builders.log import Log, join, route, rules
from tests.unit.streaming.cell.started import found_of
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    HISTORY,
    MEMBERS,
    ROUTES,
    Ailment,
    Group,
    decode,
)

RULES = rules()
START = "1767312000000-0b5e55ed"


def assignment(records: list[Record]) -> dict[str, set[Any]]:
    """What each member is told to hold."""
    written = [it.value for it in records if it.topic == "t.assignments"]
    said = [decode(ASSIGNMENTS, it) for it in written if it is not None]
    return {it.member: set(it.hold) for it in said}


def published(log: Log) -> list[Record]:
    """What a controller has published that is no more: three members have two queues each."""
    for name in "abc":
        log.append(MEMBERS, "billing", join(name), at=1_000)
    log.append(ROUTES, "billing", route(queues=6), at=1_000)
    return fold(Cell(), log.read(), RULES).records


def told(log: Log, records: list[Record]) -> list[Row]:
    """What its successor is told of that."""
    for found in found_of(records, START):
        log.append(ROUTES, found.group, found.record, at=9_000)
    return log.read()


def ailments(records: list[Record]) -> list[str | None]:
    """What the history says of what could not be done, and that it is over."""
    said = [decode(HISTORY, it.value) for it in records if it.topic == "t.history"]
    return [it.reason for it in said if isinstance(it, Ailment)]


def summaries(records: list[Record]) -> list[Group]:
    """How the group was shown."""
    return [decode(GROUPS, it.value) for it in records if it.topic == "t.groups"]
