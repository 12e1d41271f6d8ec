"""Prepared cells and rows: what Spark would hand to the state function.

It is one cell full of groups, four members and sixteen queues each, whose joins and routes have
been folded; then rows of what comes next: a beat of everybody, a join, a tick. The records are
those of the other bench. Used by ``parts``.

Its one rule: everything that is not to be measured is done here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bench.populations import BACKGROUND_MEMBERS, Newcomer, Question, beat, join, route
from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.policy import Policy
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.hearing import CellRules
from streaming.wire.rows import Row
from trimtab.protocol import DEFAULT_PREFIX, HEARTBEATS, TICK_KEY, Tick, encode

POLICY: Final = Policy()
_BEGIN_MS: Final = 1_767_225_600_000
_PARTITION: Final = 0
"""One partition: a cell is never more than that, and so every group belongs here."""

RULES: Final = CellRules.of(DEFAULT_PREFIX, 1, POLICY, VerdictPolicy())


@dataclass(frozen=True, slots=True)
class Prepared:
    """A cell with everybody in it, and what may come next."""

    cell: Cell
    beats: list[Row]
    """One of each member."""
    trial: list[Row]
    """Two urgent records: somebody joins the first group, and marks the releases."""
    tick: list[Row]
    """A second passed, and nobody is due."""


def prepared(groups: int) -> Prepared:
    """Fill a cell."""
    names = [f"background-{number}" for number in range(groups)]
    members = [(group, member) for group in names for member in BACKGROUND_MEMBERS]
    joins = [it for group, member in members for it in join(group, member, 0)]
    routes = [route(group) for group in names]
    cell = fold(Cell(), _rows([*joins, *routes], second=0), RULES).cell
    return Prepared(
        cell,
        beats=_rows((beat(group, member, 1) for group, member in members), second=1),
        trial=_rows(Newcomer(names[0], 1).joins(), second=1),
        tick=[_row(HEARTBEATS.name, 0, 1, TICK_KEY, encode(Tick(controller="bench", number=1)))],
    )


def _rows(utterances: Iterable[Question], second: int) -> list[Row]:
    return [
        _row(topic.name, offset, second, group.encode(), encode(record))
        for offset, (topic, group, record, _) in enumerate(utterances)
    ]


def _row(topic: str, offset: int, second: int, key: bytes, value: bytes) -> Row:
    place = 1_000_000 * second + offset
    appended = _BEGIN_MS + 1000 * second
    return Row(f"{DEFAULT_PREFIX}{topic}", _PARTITION, place, appended, key, value, len(value))
