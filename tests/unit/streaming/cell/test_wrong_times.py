"""Stamps that are wrong, in a cell: they delay no death, and kill nobody (B2)."""

from collections.abc import Sequence

import pytest

from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.wire.rows import Row
from tests.builders.log import Log, beat, join, route, rules
from tests.builders.reports import EAST, report
from tests.unit.streaming.cell.test_brokers import verdicts
from trimtab.protocol import HEARTBEATS, LATENCY, MEMBERS, ROUTES, TICK_KEY

RULES = rules()
SESSION_S, SWEEP_S, STEP_S = 10, 10, RULES.policy.max_clock_step_ms / 1_000
HOUR_S, DAY_S = 3_600, 86_400
LATE_S = 20
EPOCH_S = 1_767_225_600
"""When the lives of these tests begin."""


def told(skews: dict[int, int], seconds: int) -> list[list[Row]]:
    """The rows of each second: a, b and late c join; b and c beat; beats and ticks are skewed."""
    log, read, right = Log(), list[list[Row]](), 1_000 * EPOCH_S
    log.append(ROUTES, "billing", route(), at=right)
    for second in range(seconds):
        right += 1_000
        at = right + 1_000 * skews.get(second, 0)
        log.tick("billing", at=at)
        for name in {0: "ab", LATE_S: "c"}.get(second, ""):
            log.append(MEMBERS, "billing", join(name), at=right)
        for name in "bc" if second > LATE_S else "b":
            log.append(HEARTBEATS, "billing", beat(name, second), at=at)
        read.append(log.read())
    return read


def dead_letters(batches: Sequence[Sequence[Row]]) -> dict[bytes, int]:
    """Whose assignment was withdrawn, and in which batch."""
    cell, gone = Cell(), {}
    for number, rows in enumerate(batches):
        folded = fold(cell, rows, RULES)
        cell = folded.cell
        for record in folded.records:
            if record.topic == "t.assignments" and record.value is None:
                gone[record.key] = number
    return gone


JUMPS = {
    "one record, an hour ahead": dict.fromkeys([5], HOUR_S),
    "one record, a day ahead": dict.fromkeys([5], DAY_S),
    "one record, an hour back": dict.fromkeys([5], -HOUR_S),
    "four records ahead": dict.fromkeys(range(5, 9), HOUR_S),
    "ahead, and further ahead": {4: HOUR_S, 5: DAY_S},
    "ahead for good": dict.fromkeys(range(5, 100), DAY_S),
    "back for good": dict.fromkeys(range(5, 100), -DAY_S),
    "now and then": dict.fromkeys(range(5, 100, 5), HOUR_S),
    "every other second": dict.fromkeys(range(5, 100, 2), HOUR_S),
    "every other second, back": dict.fromkeys(range(5, 100, 2), -HOUR_S),
    "two of three seconds": {it: it % 3 * HOUR_S for it in range(5, 100)},
}


@pytest.mark.parametrize("skews", JUMPS.values(), ids=JUMPS.keys())
def test_the_dead_are_removed_in_time(skews: dict[int, int]) -> None:
    """After a session, give or take two steps: the one that is counted, and the one that is owed.

    Who beats stays.
    """
    gone = dead_letters(told(skews, 100))

    assert [b"billing/a"] == list(gone)
    assert SESSION_S - STEP_S <= gone[b"billing/a"] <= SESSION_S + 2 * STEP_S


@pytest.mark.parametrize("ahead_s", [-DAY_S, -HOUR_S, HOUR_S, DAY_S])
def test_a_producer_whose_stamps_are_wrong_stops_nothing(ahead_s: int) -> None:
    """Its records are between the right ones of the ticks; the dead are removed as before."""
    read = told({}, 60)
    for rows in read:
        rows[:] = [
            row._replace(appended_ms=row.appended_ms + 1_000 * ahead_s)
            if row.topic == "t.heartbeats" and row.key != TICK_KEY
            else row
            for row in rows
        ]
    gone = dead_letters(read)

    assert [b"billing/a"] == list(gone)
    assert SESSION_S - STEP_S <= gone[b"billing/a"] <= 2 * SESSION_S


FOR_GOOD = {"ahead for good", "back for good"}
"""Then the topics' brokers disagree, and how to read a backlog of theirs nobody can tell."""


@pytest.mark.parametrize("name", sorted(JUMPS.keys() - FOR_GOOD))
def test_a_backlog_is_read_alike(name: str) -> None:
    """Who joins late in it, and beats on, is not taken for silent since a wrong stamp."""
    backlog = [row for rows in told(JUMPS[name], 40) for row in rows]

    assert [b"billing/a"] == list(dead_letters([backlog]))


@pytest.mark.parametrize("skews", JUMPS.values(), ids=JUMPS.keys())
def test_a_bad_broker_is_out_in_time(skews: dict[int, int]) -> None:
    """The jury's sweeps end by the same clock: after one of them, give or take two steps."""
    log, cell, out = Log(), Cell(), []
    for second in range(30):
        right = 1_000 * (EPOCH_S + second)
        log.tick(EAST, at=right + 1_000 * skews.get(second, 0))
        for reporter in "pqr":
            seen = report(reporter, second, a=-1.0, b=5.0, c=5.0, d=5.0)
            log.append(LATENCY, EAST, seen, at=right + 300)
        folded = fold(cell, log.read(), RULES)
        cell = folded.cell
        records = [(it.topic, it.key, it.value) for it in folded.records]
        told = verdicts(records).get("a")
        out += [second] if told and not told.available else []

    assert SWEEP_S - STEP_S <= out[0] <= SWEEP_S + 2 * STEP_S
