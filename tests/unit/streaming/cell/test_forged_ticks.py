"""What has the key of a tick and is none, or is another controller's."""

import pytest

from rebalance.clock import LogClock
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.gate import Gate, write
from streaming.cell.hearing import hear
from streaming.wire.rocketmq import CellPlace
from tests.builders.log import Log, beat
from tests.unit.streaming.cell.started import NEW, OLD, PLACE, RULES, on, tick
from trimtab.protocol import DEADLETTERS, HEARTBEATS, TICK_KEY

CELLS = 3


def written() -> Log:
    """Two forged ticks, one of another start, and one that counts."""
    log = Log()
    log.append(HEARTBEATS, TICK_KEY, b"x", at=3_000, partition=PLACE)
    log.append(HEARTBEATS, TICK_KEY, beat("a"), at=3_000, partition=PLACE)
    tick(log, OLD, 9, None, 3_000)
    tick(log, NEW, 2, None, 3_000)
    return log


@pytest.mark.parametrize("is_shut", [True, False])
def test_forged_ticks_are_set_aside_once(*, is_shut: bool) -> None:
    """They go to every cell of their partition, and one of these answers."""
    rows, cell = written().rows, Cell(gate=write(Gate(start=NEW, shut=is_shut)))
    letters = [
        on(DEADLETTERS, fold(cell, rows, RULES.at(CellPlace(PLACE, slot, CELLS))).records)
        for slot in range(CELLS)
    ]

    assert [[0, 1], [], []] == [[it.offset for it in each] for each in letters]
    assert {("bad_key", "the key of a tick, which it is not")} == {
        (it.reason, it.detail) for it in letters[0]
    }


def test_only_the_controllers_own_ticks_are_moments_of_its_groups() -> None:
    """Each of the others would be one more look at every group that is awake."""
    heard = hear(LogClock(), written().rows, RULES, NEW)

    assert [3] == [place for place, _ in heard.ticks]


def test_in_a_part_of_a_recording_every_tick_counts() -> None:
    """It does not show whose controller was at work."""
    heard = hear(LogClock(), written().rows, RULES)

    assert [0, 1, 2, 3] == [place for place, _ in heard.ticks]
