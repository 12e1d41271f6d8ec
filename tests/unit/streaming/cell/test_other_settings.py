"""A controller that goes on with other settings, from its predecessor's checkpoint."""

from collections.abc import Sequence
from dataclasses import replace

from rebalance.groups.model.policy import Policy
from sinks import Record
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import Folded, fold
from streaming.cell.gate import SHUT
from tests.builders.log import Log, join, route, rules
from tests.unit.streaming.cell.started import NEW, OLD, THIRD, on, starts
from trimtab.protocol import HISTORY, MEMBERS, ROUTES, RebalanceDone


def started(
    cell: Cell, log: Log, published: Sequence[Record], start: str, strategy: str, at: int
) -> Folded:
    """A controller starts with a strategy, is told what is published, and reads all of it."""
    opening = starts(log, published, at, start).opening
    known = replace(rules(Policy(strategy=strategy)), opening=opening)
    return fold(read(write(cell)), log.read(), known)


def test_a_group_at_rest_is_looked_at_once_when_it_starts() -> None:
    """Nobody says a word, and the other strategy is asked; its successor has nothing to say."""
    log = Log()
    for name in "ab":
        log.append(MEMBERS, "billing", join(name), at=1_000)
    log.append(ROUTES, "billing", route(queues=4), at=1_000)
    first = started(Cell(gate=SHUT), log, (), OLD, "AVG", 1_000)
    same = started(first.cell, log, first.records, NEW, "AVG", 3_000)
    assert [] == same.records

    other = started(same.cell, log, first.records, NEW[:-1] + "e", "AVG_BY_CIRCLE", 5_000)
    (rebalanced,) = [it for it in on(HISTORY, other.records) if isinstance(it, RebalanceDone)]
    assert ("settings", 2) == (rebalanced.cause.kind, rebalanced.moves)
    published = [*first.records, *other.records]
    again = started(other.cell, log, published, THIRD, "AVG_BY_CIRCLE", 7_000)
    assert [] == again.records
