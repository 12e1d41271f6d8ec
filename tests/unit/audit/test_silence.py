"""Nobody is removed early, and nobody stays for ever (I6, I5)."""

import pytest

from tests.unit.audit.histories import SESSION_MS, ShownHistory, a_member


@pytest.mark.parametrize(("silence", "wrong"), [(SESSION_MS - 1, ["I6"]), (SESSION_MS, [])])
def test_a_session_of_silence_is_the_measure(silence: int, wrong: list[str]) -> None:
    """One millisecond less is an eviction without a reason."""
    told = a_member()
    told.ticks(4_000)
    told.ticks(4_000)
    told.removed("a", told.ticks(silence - 8_000))

    assert wrong == told.wrong


def test_an_outage_is_no_silence() -> None:
    """A gap in the log proves one step, however long it was."""
    told = a_member()
    told.removed("a", told.ticks(60_000))

    assert ["I6"] == told.wrong


def test_a_clock_that_jumped_back_proves_nothing() -> None:
    """Time that is read twice counts once."""
    told = a_member()
    told.ticks(4_000)
    told.ticks(-4_000)
    told.ticks(4_000)
    told.removed("a", told.ticks(4_000))

    assert ["I6"] == told.wrong


def test_two_clocks_that_take_turns_prove_time() -> None:
    """A controller whose clock stands still meanwhile is wrong; and so is one whose clock runs."""
    told = a_member()
    silence_ms = 0
    while silence_ms < SESSION_MS + 5 * 5_000 - 1_000:
        silence_ms += 1_000
        told.ticks(3_600_000 if silence_ms % 2_000 else 1_000 - 3_599_000)
        told.batch_ends()
    assert [] == told.details

    for _ in range(10):
        told.ticks(3_600_000)
        told.ticks(1_000 - 3_599_000)
    told.batch_ends()
    assert ["I5"] == told.wrong


def test_nor_do_they_prove_more_than_it_took() -> None:
    """Each record is ahead of the one before, or behind it, by an hour."""
    told = a_member()
    told.ticks(3_600_000)
    told.ticks(-3_600_000)
    told.ticks(3_600_000)
    told.removed("a", told.ticks(1_000 - 3_600_000))

    assert ["I6"] == told.wrong


def test_what_was_heard_after_the_cause_does_not_count() -> None:
    """A batch may read on after the record that proved the silence."""
    told = a_member()
    told.ticks(5_000)
    cause = told.ticks(5_000)
    told.beats("a")
    told.removed("a", cause)

    assert [] == told.details


def test_a_repeated_beat_is_no_sign_of_life() -> None:
    """Its number is not above that of the last one (B3)."""
    told = a_member()
    told.beats("a", sequence=50)
    told.ticks(5_000)
    told.beats("a", sequence=50)
    told.removed("a", told.ticks(5_000))

    assert [] == told.details


def test_whoever_left_or_was_fenced_need_not_be_silent() -> None:
    """Only an expiry claims silence."""
    told = a_member()
    told.removed("a", told.leaves("a"), how="left")

    assert [] == told.details


def check_that_a_session_begins(told: ShownHistory) -> None:
    """Its member may stay for as long as that lasts, and no longer."""
    told.ticks(5_000)
    told.ticks(4_999)
    told.batch_ends()
    assert [] == told.details

    told.ticks(1)
    told.batch_ends()
    assert ["I5"] == told.wrong


def test_the_dead_are_removed_in_time() -> None:
    """A batch that proved the silence and kept the member is wrong."""
    check_that_a_session_begins(a_member())


@pytest.mark.parametrize("back_ms", [0, 10_000])
def test_what_a_log_that_is_behind_brings_counts_from_the_end_of_its_batch(back_ms: int) -> None:
    """A join that is older than it can be follows a leave, whose time is as wrong then (B2).

    It is older than what was read before the batch; the beats' clock may have gone back in it.
    """
    told = a_member()
    told.ticks(5_000)
    told.beats("a")
    told.batch_ends()
    before = told.now
    told.leaves("a")
    told.ticks(5_000)
    told.ticks(-back_ms)
    after, told.now = told.now, before - 5_001
    told.joined("b")
    told.now = after
    told.batch_ends()

    check_that_a_session_begins(told)


JUMPS = {
    "ahead for one record, and back": (3_600_000, -3_600_000),
    "ahead for good": (86_400_000,),
    "back for good": (-3_600_000,),
    "back for one record": (-3_600_000, 3_600_000),
}


@pytest.mark.parametrize("jumps", JUMPS.values(), ids=JUMPS.keys())
def test_a_wrong_stamp_saves_nobody(jumps: tuple[int, ...]) -> None:
    """Time goes on from it: who is silent for a session after it, and what is owed, has to go."""
    told = a_member()
    for jump in jumps:
        told.ticks(jump)
    for _ in range(4):
        told.ticks(5_000)
    told.batch_ends()

    assert ["I5"] == told.wrong


@pytest.mark.parametrize("jumps", JUMPS.values(), ids=JUMPS.keys())
def test_a_wrong_stamp_kills_nobody(jumps: tuple[int, ...]) -> None:
    """It proves one step, whatever it says; only a stamp within a step proves what it says."""
    told = a_member()
    for jump in jumps:
        told.ticks(jump)
    told.removed("a", told.ticks(4_999))

    assert ["I6"] == told.wrong


# -- when most are silent at once


def test_of_one_that_left_only_its_return_counts() -> None:
    """Beats from before it left may arrive late."""
    told = a_member()
    told.leaves("a")
    told.ticks(5_000)
    told.beats("a")
    told.leaves("a")
    told.removed("a", told.ticks(5_000))

    assert [] == told.details
