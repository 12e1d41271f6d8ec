"""Silence, when another controller takes over that has forgotten what was heard (I6, I5)."""

import pytest

from tests.unit.audit.histories import ShownHistory, a_member


def taken_over(*, exact: bool = True) -> ShownHistory:
    """A member that was silent for 8 s when a controller took over that knew nothing of that."""
    told = a_member(exact=exact)
    told.ticks(4_000)
    told.ticks(4_000)
    told.started()
    told.issued("a", 2)
    return told


def test_whoever_takes_over_may_count_anew() -> None:
    """Its predecessor had heard a number that somebody made up, and the log has lost it since."""
    told = a_member()
    told.beats("a", sequence=900)
    told.started()
    told.issued("a", 2)
    for _ in range(8):
        told.ticks(5_000)
        told.beats("a")
        told.batch_ends()

    assert [] == told.details


def test_whoever_takes_over_begins_all_sessions_anew() -> None:
    """It may wait for a session more, with what a record may be ahead of the clock."""
    told = taken_over()
    for _ in range(4):
        told.batch_ends()
        told.ticks(5_000)

    assert [] == told.details

    told.batch_ends()
    assert ["I5"] == told.wrong


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("silence", "wrong"), [(1_999, ["I6"]), (2_000, [])])
def test_whoever_takes_over_is_as_patient(silence: int, wrong: list[str], *, exact: bool) -> None:
    """Its clock is another one, but no more time has gone by than the log shows."""
    told = taken_over(exact=exact)
    told.removed("a", told.ticks(silence))

    assert wrong == told.wrong
    assert {} == told.checker.unjudged(None)


def test_a_clock_that_jumped_back_before_another_took_over() -> None:
    """Then nobody can say how long a member was silent."""
    told = a_member()
    told.ticks(-4_000)
    told.started()
    told.issued("a", 2)
    told.removed("a", told.ticks(1_000))

    assert [] == told.wrong
