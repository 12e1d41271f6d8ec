"""The silence of many at once is doubted, before it is believed (I5)."""

import pytest

from audit.checker import Promises
from tests.unit.audit.histories import ShownHistory


def members(names: str, *, exact: bool = True) -> ShownHistory:
    """Members that were answered, after the clock's first stroke."""
    told = ShownHistory(Promises(max_clock_step_ms=5_000, exact=exact))
    told.ticks()
    for name in names:
        told.joined(name)
        told.issued(name, 1)
    return told


def many_members(*, exact: bool = True) -> ShownHistory:
    """Four members; all beat at the same time, and then only d."""
    told = members("abcd", exact=exact)
    for name in "abcd":
        told.beats(name)
    for _ in range(5):
        told.ticks(2_000)
        told.beats("d")
    return told


def test_silence_of_most_is_doubted() -> None:
    """Three of four: nobody is removed for it yet."""
    told = many_members()
    told.removed("a", told.ticks(0))

    assert ["I6"] == told.wrong
    assert "3 of 4 were silent" in told.details[0]


@pytest.mark.parametrize("returns", [False, True])
def test_who_said_that_it_goes_is_not_missed(*, returns: bool) -> None:
    """Two of four are silent, and one is away: also if it comes back after the cause was read."""
    told = many_members()
    told.leaves("b")
    for _ in range(3):
        told.ticks(2_000)
        told.beats("d")
    cause = told.ticks(0)
    if returns:
        told.joined("b")
    told.removed("a", cause)

    assert [] == told.details


def test_those_that_one_record_removes_were_doubted_together() -> None:
    """Three of six are silent, which is not most, also when one of two others is gone already."""
    told = members("abcdef")
    told.leaves("a")
    told.leaves("b")
    for speakers in ("cdef", "f", "f"):
        for _ in range(2):
            told.ticks(2_000)
            for name in speakers:
                told.beats(name)
    cause = told.ticks(0)
    told.removed("a", cause)
    told.removed("b", cause)

    assert [] == told.details


def test_silence_of_most_is_believed_in_the_end() -> None:
    """After another while."""
    told = many_members()
    for _ in range(15):
        told.ticks(2_000)
        told.beats("d")
    told.removed("a", told.ticks(0))

    assert [] == told.details


def test_a_group_may_doubt_by_rules_of_its_own() -> None:
    """Its summary tells them; between the order and the summary nobody knows which hold."""
    commanded, summarised = many_members(), many_members()
    commanded.commanded("policy")
    summarised.summarised(2, percent=90)
    for told in (commanded, summarised):
        told.removed("a", told.ticks(0))

        assert [] == told.details


def test_an_operator_may_say_that_it_is_true() -> None:
    """Then nobody has to wait."""
    told = many_members()
    told.commanded("approve")
    told.removed("a", told.ticks(0))

    assert [] == told.details


@pytest.mark.parametrize("exact", [True, False])
def test_what_an_operator_once_said_is_no_word_on_today(*, exact: bool) -> None:
    """All were heard since then."""
    told = many_members(exact=exact)
    told.commanded("approve")
    for _ in range(60):
        told.ticks()
        for name in "abcd":
            told.beats(name)
    for _ in range(11):
        told.ticks()
    cause = told.ticks(0)
    for name in "abcd":
        told.removed(name, cause)

    assert ["I6"] * 4 == told.wrong


def test_whoever_is_held_may_stay() -> None:
    """As long as the hold lasts."""
    told = many_members()
    told.held("a", "b", "c")
    told.batch_ends()

    assert [] == told.details
    for _ in range(15):
        told.ticks(2_000)
        told.beats("d")
    told.batch_ends()

    assert ["I5", "I5", "I5"] == told.wrong


@pytest.mark.parametrize(("silent", "wrong"), [("ab", []), ("abc", ["I6"])])
def test_who_kept_a_queue_is_held_while_most_are_silent(silent: str, wrong: list[str]) -> None:
    """It may have let go; of more than half of four, three at least, that is not known."""
    told = members("abcd")
    told.ticks(4_000)
    for name in "abcd":
        if name not in silent:
            told.beats(name)
    told.removed("a", told.ticks(2_000), how="overdue")

    assert wrong == told.wrong


def test_nobody_is_removed_from_a_paused_group() -> None:
    """Until it is resumed."""
    told = many_members()
    told.commanded("pause")
    told.batch_ends()
    assert [] == told.details

    told.commanded("resume")
    told.batch_ends()
    assert ["I5", "I5", "I5"] == told.wrong


def test_a_life_that_is_being_replaced_is_not_one_more() -> None:
    """Its member has been heard, as somebody younger."""
    told = many_members()
    told.joined("b:2")
    told.joined("c:2")
    told.removed("a", told.ticks(0))

    assert [] == told.details
