"""The board of verdicts, where the producer's clock is behind and no live verdict sets it."""

import pytest

from trimtab.faults import FRESH_FOR_MS, VerdictBoard

NOW = 1_700_000_000_000
HOUR_MS = 3_600_000


def board(until: int) -> VerdictBoard:
    """What is read of a controller whose last word was said now."""
    made = VerdictBoard()
    made.post("a", available=False, until=until, at=NOW, trial=True)
    return made


@pytest.mark.parametrize("heard", [None, NOW], ids=["it starts behind", "it is set back"])
def test_by_a_clock_that_is_behind_no_verdict_stands_longer(heard: int | None) -> None:
    """Nobody is there to say what time it is for Kafka, but it is not before the last word."""
    made, behind = board(NOW + 8 * HOUR_MS), NOW - 2 * HOUR_MS
    if heard is not None:
        made.set_clock(NOW, heard)
        made.avoided(heard)
    later = (0, FRESH_FOR_MS, FRESH_FOR_MS + 1, HOUR_MS)

    assert [{"a"}, {"a"}, set(), set()] == [made.avoided(behind + it) for it in later]


def test_by_a_clock_that_is_behind_a_verdict_ends_in_time() -> None:
    """And its trials go on, a second after the other."""
    made, behind = board(NOW + 30_000), NOW - 2 * HOUR_MS
    trials = []
    for after in range(0, 40_000, 500):
        if made.to_try(behind + after):
            made.tried("a", behind + after)
            trials.append(after)

    assert list(range(1_000, 30_000, 1_000)) == trials


def test_one_wrong_stamp_in_the_backlog_says_nothing_of_those_after_it() -> None:
    """A broker's clock has leapt for a minute; whoever starts asks while it reads."""
    made = VerdictBoard()
    made.post("b", available=False, until=NOW + 2 * HOUR_MS, at=NOW + HOUR_MS)
    assert {"b"} == made.avoided(NOW)
    made.post("a", available=False, until=NOW + 30_000, at=NOW - 1_000)

    assert {"a", "b"} == made.avoided(NOW)
    made.set_clock(NOW, NOW)
    assert {"b"} == made.avoided(NOW + 30_000)


def test_one_wrong_stamp_stops_no_trials_of_the_broker_that_it_was_about() -> None:
    """Nobody else would try it: all who are to do so have read the same stamp."""
    made = VerdictBoard()
    for late in (HOUR_MS, 0):
        at = NOW + late
        made.post("b", available=False, until=at + 300_000, at=at, trial=True)
    made.set_clock(NOW, NOW)

    assert [[], ["b"]] == [made.to_try(NOW + it) for it in (999, 1_000)]
