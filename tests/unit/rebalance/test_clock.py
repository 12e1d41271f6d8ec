"""The log clock: what a gap, a repetition and a jump are worth."""

from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebalance.clock import IN_FLIGHT, Left, LogClock
from rebalance.ids import Millis

STEP = Millis(5_000)
RUNNING = LogClock(now=Millis(100), latest=Millis(50_000))
BEFORE = Left(Millis(50_000), Millis(100), Millis(0))

RECORDS = {
    "the next record": (50_700, LogClock(Millis(800), Millis(50_700))),
    "a gap of exactly one step": (55_000, LogClock(Millis(5_100), Millis(55_000))),
    "a longer gap counts as one step": (
        99_000,
        LogClock(Millis(5_100), Millis(99_000), lent=STEP, left=(BEFORE,)),
    ),
    "the same millisecond": (50_000, RUNNING),
    "a record that was overtaken": (45_000, RUNNING),
    "a broker whose clock went back": (
        44_999,
        LogClock(Millis(100), Millis(44_999), left=(BEFORE,)),
    ),
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


def read_all(stamps: list[int]) -> list[int]:
    """What the clock shows after each record."""
    clock, shown = LogClock(), list[int]()
    for stamp in stamps:
        clock = clock.advanced(Millis(stamp), STEP)
        shown.append(clock.now)
    return shown


@pytest.mark.parametrize("by", [3_600_000, 86_400_000, STEP + 1])
@pytest.mark.parametrize("length", [1, 20])
def test_a_wrong_time_stops_the_clock_for_a_step_at_most(by: int, length: int) -> None:
    """One record is stamped ahead, or some; then time goes on as if nothing had been (B2)."""
    wrong = range(60, 60 + length)
    stamps = [1_000 * second + by * (second in wrong) for second in range(200)]

    assert all(1_000 * second - shown <= STEP for second, shown in enumerate(read_all(stamps)))


@pytest.mark.parametrize("every_ms", [10, 500, 1_000])
@pytest.mark.parametrize("clocks", [2, 3, 4])
@pytest.mark.parametrize("by", [3_600_000, -3_600_000, 3 * STEP])
def test_clocks_that_take_turns_do_not_stop_it(by: int, clocks: int, every_ms: int) -> None:
    """Every other record is stamped ahead, or by one of several: half of real speed at least."""
    real = range(0, 60_000, every_ms)
    stamps = [at + by * (number % clocks) for number, at in enumerate(real)]
    lead = [shown - at for shown, at in zip(read_all(stamps), real, strict=True)]

    assert max(lead) <= (clocks - 1) * STEP
    assert min(one + at / 2 for one, at in zip(lead, real, strict=True)) >= -STEP


@pytest.mark.parametrize("lasting", [2, 5, 12, 30])
def test_nor_do_clocks_that_change_places_now_and_then(lasting: int) -> None:
    """Whatever counts as one of them for so many seconds."""
    stamps = [1_000 * at + 3_600_000 * (at // lasting % 2) for at in range(600)]
    shown = read_all(stamps)

    real = range(0, 600_000, 1_000)

    assert all(at / 2 - STEP <= it <= at + STEP for at, it in zip(real, shown, strict=True))


def test_a_clock_that_goes_back_behind_another_is_not_that_one() -> None:
    """After a gap the broker's clock goes back, to before the gap: it is a new one, and goes on."""
    gap, back = 60_000, 4_000 - 2 * STEP
    stamps = [0, 1_000, 2_000, 3_000, 4_000, gap, gap + 1_000, *range(back, back + 15_000, 1_000)]

    shown = read_all(stamps)

    steps = {later - earlier for earlier, later in pairwise(shown[7:])}
    assert steps == {500, 1_000}


def test_what_was_lent_is_paid_with_half_of_what_follows() -> None:
    """After one stamp that was ahead, time goes on at half speed until it is right again."""
    shown = read_all([0, 1_000, 3_600_000, *range(2_000, 20_000, 1_000)])
    steps = {later - earlier for earlier, later in pairwise(shown[3:])}

    assert steps == {500, 1_000}
    assert 19_000 == shown[-1]


RECORDS_OF_TWO_CLOCKS = st.lists(st.tuples(st.integers(0, 1_500), st.booleans()), max_size=60)
"""The time since the record before, and whether this one is stamped by a clock that is ahead."""


@given(RECORDS_OF_TWO_CLOCKS, st.integers(2 * STEP, 10_000_000))
def test_it_never_runs_a_step_ahead_of_what_has_passed(
    records: list[tuple[int, bool]], by: int
) -> None:
    """Between any two records, however often the broker's clock has gone ahead and come back."""
    times, stamps, now = [0], [0], 0
    for after, wrong in records:
        now += after
        times.append(now)
        stamps.append(now + by * wrong)
    ahead = [shown - real for shown, real in zip(read_all(stamps), times, strict=True)]
    lowest = 0
    for lead in ahead:
        lowest = min(lowest, lead)

        assert lead - lowest <= STEP


@given(st.lists(st.integers(0, 10_000_000)))
def test_it_never_goes_back(stamps: list[int]) -> None:
    """Whatever the stamps."""
    assert all(one <= other for one, other in pairwise(read_all(stamps)))


class Tick(NamedTuple):
    """What a tick says of the controller."""

    number: int
    seen: int | None


def test_ticks_count_while_the_controller_keeps_up() -> None:
    """Each of them, if the last but two had been read when it was written."""
    clock = LogClock()
    for number in range(20):
        clock = clock.ticked(Tick(number, number - 3), Millis(number * 1_000), STEP)

    assert (19_000, (17, 18, 19)) == (clock.now, clock.ticks)


@pytest.mark.parametrize("seen", [None, 0])
def test_of_a_backlog_three_ticks_count(seen: int | None) -> None:
    """Nobody can have been told meanwhile of what followed from the first."""
    clock = LogClock().ticked(Tick(0, None), Millis(0), STEP)
    for number in range(1, 400):
        clock = clock.ticked(Tick(number, seen), Millis(number * 1_000), STEP)
    assert clock.now <= IN_FLIGHT * 1_000

    clock = clock.ticked(Tick(400, 399), Millis(400_000), STEP)
    assert clock.now <= IN_FLIGHT * 1_000 + STEP


def test_a_tick_counts_once() -> None:
    """One that comes again, or late, proves nothing new."""
    clock = LogClock().ticked(Tick(5, 4), Millis(0), STEP)

    assert clock == clock.ticked(Tick(5, 4), Millis(1_000), STEP)
    assert clock == clock.ticked(Tick(3, 2), Millis(1_000), STEP)


@given(st.lists(st.integers(min_value=0, max_value=60), min_size=1, max_size=60))
def test_the_clock_is_never_far_ahead_of_what_is_out(lags: list[int]) -> None:
    """Whatever was seen when: since a tick was seen, no more than three steps went by."""
    clock, readings, seen = LogClock(), {-1: 0}, -1
    for number, lag in enumerate(lags):
        seen = max(seen, number - 1 - lag)
        tick = Tick(number, seen if seen >= 0 else None)
        clock = clock.ticked(tick, Millis(number * 9_000), STEP)
        readings[number] = clock.now
        assert clock.now - readings[seen] <= (IN_FLIGHT + 1) * STEP
