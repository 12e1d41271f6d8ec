"""The log clock: what a gap, a repetition and a jump are worth."""

import pytest

from rebalance.clock import LogClock
from rebalance.ids import Millis

STEP = Millis(5_000)
RUNNING = LogClock(now=Millis(100), latest=Millis(50_000))

RECORDS = {
    "the next record": (50_700, LogClock(Millis(800), Millis(50_700))),
    "a gap of exactly one step": (55_000, LogClock(Millis(5_100), Millis(55_000))),
    "a longer gap counts as one step": (99_000, LogClock(Millis(5_100), Millis(99_000))),
    "the same millisecond": (50_000, RUNNING),
    "a broker whose clock went back": (20_000, RUNNING),
}


@pytest.mark.parametrize(("appended", "expected"), RECORDS.values(), ids=RECORDS.keys())
def test_record_advances_the_clock_by_at_most_one_step(appended: int, expected: LogClock) -> None:
    """A record proves the time since the one before, up to a limit, and never undoes any."""
    assert expected == RUNNING.advanced(Millis(appended), STEP)


def test_first_record_starts_the_clock_at_zero() -> None:
    """Before the first record nothing was proved, whatever its date."""
    assert LogClock(Millis(0), Millis(50_000)) == LogClock().advanced(Millis(50_000), STEP)


def test_an_outage_costs_one_step() -> None:
    """After an hour without records time goes on one step later, not an hour (A2, A4)."""
    clock = LogClock()
    for second in (0, 1, 2, 3_602, 3_603):
        clock = clock.advanced(Millis(1_000 * second), STEP)

    assert 2_000 + STEP + 1_000 == clock.now


def test_reading_another_topics_record_moves_nothing() -> None:
    """A record of another topic is dated by the clock, two steps ahead at most; nothing moves."""
    assert [800, 10_100, 100] == [RUNNING.read(Millis(at), STEP) for at in (50_700, 99_000, 1)]


def test_before_the_first_beat_a_record_counts_as_the_furthest_ahead() -> None:
    """How far it is ahead will only be known when beats are read; nobody is older for that."""
    assert 2 * STEP == LogClock().read(Millis(50_000), STEP)
