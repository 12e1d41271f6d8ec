"""A batch that was published and not finished is not decided in a second way.

It is repeated when a controller starts; settings may have changed meanwhile, or the release.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rebalance.groups.model.policy import Policy
from sinks import Record
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from streaming.cell.gate import SHUT
from streaming.wire.rows import Row
from tests.builders.log import Log, join, rules
from tests.unit.streaming.cell.started import OLD, RULES, on, starts, tick, worked
from trimtab.protocol import ASSIGNMENTS, MEMBERS


def unfinished(log: Log, *, opens: bool = False) -> tuple[Cell, Sequence[Row], list[Record]]:
    """A batch with a new member is published and not finished: the cell before it, and its rows.

    Perhaps it is the one that opens the gate of its start.
    """
    worked(log)
    count = len(log.rows) - opens
    before = fold(Cell(gate=SHUT), log.rows[:count], RULES).cell
    log.append(MEMBERS, "billing", join("d"), at=3_000)
    tick(log, OLD, 2, 1, 3_000)
    rows = log.rows[count:]
    return before, rows, fold(before, rows, RULES).records


@pytest.mark.parametrize("opens", [False, True])
def test_what_others_have_not_finished_waits_for_what_they_have_published(*, opens: bool) -> None:
    """Decided otherwise it would give epochs a second meaning, which no member would read."""
    log = Log()
    before, rows, published = unfinished(log, opens=opens)
    said = {it.member: it for it in on(ASSIGNMENTS, published)}
    assert "d" in said
    begins = len(log.rows)
    circle = rules(Policy(strategy="AVG_BY_CIRCLE"))
    opening = starts(log, published, 9_000).opening._replace(rules_differ=True)
    known = replace(circle, opening=opening)

    waits = fold(before, rows, known)
    assert [] == waits.records
    after = fold(read(write(waits.cell)), log.rows[begins:], known).records

    again = on(ASSIGNMENTS, after)
    assert {it.member for it in again} >= said.keys()
    assert min(it.epoch for it in again) > max(it.epoch for it in said.values())


def test_what_one_has_not_finished_itself_is_decided_at_once() -> None:
    """To the same bytes: nothing that was published changes."""
    log = Log()
    before, rows, published = unfinished(log)
    known = starts(log, published, 9_000)

    assert published == fold(before, rows, known).records
