"""What producers reported before a controller starts, and while none is there."""

from dataclasses import replace

import pytest

from rebalance.brokers.events import ClusterName
from streaming.cell import gate
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.gate import Gate, Opening
from streaming.cell.packed import unpack_cluster
from tests.builders.log import Log
from tests.builders.reports import EAST, START, report
from tests.unit.streaming.cell.started import NEW, OLD, RULES, tick, told
from trimtab.protocol import BROKERS, LATENCY, decode


@pytest.mark.parametrize("away", [True, False], ids=["while it was away", "just before"])
def test_old_reports_are_no_sweep_of_a_controller_that_starts(*, away: bool) -> None:
    """A broker that was slow then and is well by now stays in use, however long it was slow."""
    log, at, number = Log(), START, 0

    def reports(seconds: int, a: float) -> None:
        nonlocal at, number
        for _ in range(seconds):
            at, number = at + 1_000, number + 1
            for reporter in "pqr":
                seen = report(reporter, number, a=a, b=5.0, c=5.0, d=5.0)
                log.append(LATENCY, EAST, seen, at=at)
            tick(log, OLD if at < gone else NEW, number, number - 1, at)

    gone = START + 15_000
    reports(10, 5.0)
    reports(4, 5.0 if away else 2_000.0)
    known = replace(RULES, opening=Opening(OLD, 0))
    cell = fold(Cell(gate=gate.write(Gate(start=OLD))), log.read(), known).cell

    at = gone + 3_600_000
    begun = told(log, NEW, at, whole=False)
    if away:
        for minute in range(60):
            seen = [report(it, 100 + minute, a=2_000.0, b=5.0, c=5.0, d=5.0) for it in "pqr"]
            for each in seen:
                log.append(LATENCY, EAST, each, at=gone + 60_000 * minute)
    known, number = replace(RULES, opening=Opening(NEW, begun.offset)), 200
    cell = fold(cell, log.read(), known).cell
    told(log, NEW, at, whole=True)
    reports(2, 5.0)
    opened = fold(cell, log.read(), known)
    assert not gate.read(opened.cell.gate).shut
    reports(30, 5.0)
    after = fold(opened.cell, log.read(), known)

    said = [it.value for it in (*opened.records, *after.records) if it.topic == "t.brokers"]
    assert [] == [it for it in said if it and not decode(BROKERS, it).available]
    cluster = unpack_cluster(after.cell.clusters.by_name()[ClusterName(EAST)])
    assert [3] * 4 == [it.reports for it in cluster.brokers.values()]
