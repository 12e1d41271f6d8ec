"""What producers reported before a controller starts, and while none is there."""

from dataclasses import replace

import pytest

from rebalance.brokers.events import ClusterName
from rebalance.ids import Millis
from streaming.cell import gate
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.gate import Gate, Opening
from streaming.cell.packed import Packs, unpack_cluster
from tests.builders.log import Log
from tests.builders.reports import EAST, START, report
from tests.unit.streaming.cell.started import NEW, OLD, RULES, tick, told, worked
from trimtab.protocol import BROKERS, LATENCY, Sample, Verdict, decode


@pytest.mark.parametrize(
    ("good", "slow", "away"),
    [(14, 0, [2_000.0] * 60), (10, 4, []), (11, 5, [5.0])],
    ids=["while it was away", "just before", "just before, and one that is read ahead"],
)
def test_old_reports_are_no_sweep_of_a_controller_that_starts(
    good: int, slow: int, away: list[float]
) -> None:
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

    gone = START + 1_000 * (good + slow + 1)
    reports(good, 5.0)
    reports(slow, 2_000.0)
    known = replace(RULES, opening=Opening(OLD, 0))
    cell = fold(Cell(gate=gate.write(Gate(start=OLD))), log.read(), known).cell

    at = gone + 3_600_000
    begun = told(log, NEW, at, whole=False)
    for minute, a in enumerate(away):
        seen = [report(it, 100 + minute, a=a, b=5.0, c=5.0, d=5.0) for it in "pqr"]
        for each in seen:
            log.append(LATENCY, EAST, each, at=at - 60_000 * (len(away) - minute))
    known, number = replace(RULES, opening=Opening(NEW, begun.offset)), 200
    begins = fold(cell, log.read(), known)
    cell = begins.cell
    told(log, NEW, at, whole=True)
    reports(2, 5.0)
    opened = fold(cell, log.read(), known)
    assert not gate.read(opened.cell.gate).shut
    reports(30, 5.0)
    after = fold(opened.cell, log.read(), known)

    records = [*begins.records, *opened.records, *after.records]
    said = [it.value for it in records if it.topic == "t.brokers"]
    assert [] == [it for it in said if it and not decode(BROKERS, it).available]
    cluster = unpack_cluster(after.cell.clusters.by_name()[ClusterName(EAST)])
    assert [3] * 4 == [it.reports for it in cluster.brokers.values()]


def test_reports_of_producers_step_no_group_while_a_controller_starts() -> None:
    """They are heard at once; what is due at the next batch waits with all that was said since."""
    log = Log()
    worked(log)
    cell = fold(Cell(gate=gate.SHUT), log.read(), RULES).cell
    due = {it: packed._replace(deadline=Millis(0)) for it, packed in cell.groups.by_name().items()}
    cell = replace(cell, groups=Packs.of(due))

    begun = told(log, NEW, 3_000, whole=False)
    seen = Sample(reporter="p", broker="b", latency_ms=5.0, isolation=False)
    log.append(LATENCY, EAST, seen, at=4_000)
    batch = fold(cell, log.read(), replace(RULES, opening=Opening(NEW, begun.offset)))

    assert gate.read(batch.cell.gate).shut
    assert (cell.groups, []) == (batch.cell.groups, batch.records)


@pytest.mark.parametrize("lead", range(30, 40))
@pytest.mark.parametrize("frozen", [False, True], ids=["in a long batch", "frozen"])
def test_old_reports_are_no_sweep_of_a_controller_that_stalls(*, frozen: bool, lead: int) -> None:
    """A broker that was slow as that began is well by its end, in whatever part of a sweep."""
    log, cell, at, number = Log(), Cell(gate=gate.write(Gate(start=OLD))), START, 0
    known, read = replace(RULES, opening=Opening(OLD, 0)), 0
    bound: list[Verdict] = []

    def reports(seconds: int, a: float, *, stalled: bool = False) -> None:
        nonlocal at, number, cell, read
        for _ in range(seconds):
            at, number = at + 1_000, number + 1
            for reporter in "pqr":
                seen = report(reporter, number, a=a, b=5.0, c=5.0, d=5.0)
                log.append(LATENCY, EAST, seen, at=at)
            if not (stalled and frozen):
                tick(log, OLD, number, read, at)
            if not stalled:
                after = fold(cell, log.read(), known)
                cell, read = after.cell, number
                said = [decode(BROKERS, it.value) for it in after.records if it.value]
                bound.extend(it for it in said if not it.available and (it.until_ms or at) >= at)

    reports(lead, 5.0)
    reports(60, 2_000.0, stalled=True)
    reports(300, 5.0, stalled=True)
    reports(30, 5.0)

    assert [] == bound
    cluster = unpack_cluster(cell.clusters.by_name()[ClusterName(EAST)])
    assert [3] * 4 == [it.reports for it in cluster.brokers.values()]
