"""Epochs grow, and nobody is told twice (I4, I14)."""

from collections.abc import Callable

import pytest

from audit import epochs
from audit.checker import Promises
from tests.unit.audit.histories import ShownHistory


def test_epochs_that_grow_are_no_violation() -> None:
    """And a replayed batch says the same again."""
    told = ShownHistory()
    for _ in range(2):
        told.issued("a", 3, hold="orders-0@3")
        told.issued("b", 3, hold="orders-1@3")
        told.summarised(3)

    assert [] == told.details


def test_an_epoch_that_goes_back_is_seen() -> None:
    """A reader that knows 4 would be deaf to 3."""
    told = ShownHistory()
    told.issued("a", 4)
    told.issued("b", 3)

    assert ["I4"] == told.wrong


def test_an_epoch_with_two_meanings_is_seen() -> None:
    """The same key and epoch must be the same bytes."""
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3")
    told.issued("a", 3, hold="orders-0@3", content="other")

    assert ["I4"] == told.wrong


def test_summaries_follow_the_same_rule() -> None:
    """The group's own record has an epoch too."""
    told = ShownHistory()
    told.summarised(3)
    told.summarised(2)
    told.summarised(2, content="other")

    assert ["I4", "I4"] == told.wrong


def test_being_told_again_is_seen() -> None:
    """A new epoch that says nothing new to a member is noise."""
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3")
    told.issued("a", 4, hold="orders-0@3")

    assert ["I14"] == told.wrong


def test_another_interval_is_news() -> None:
    """A member that is to beat more often is told so, and nothing else may change for it."""
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3", beats="5000")
    told.issued("a", 4, hold="orders-0@3")

    assert [] == told.wrong


def test_whoever_joins_is_answered() -> None:
    """Asking again is a reason to say it again."""
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3")
    told.joined("a")
    told.issued("a", 4, hold="orders-0@3")

    assert [] == told.details


def test_a_command_has_everybody_told_again() -> None:
    """Records may have been lost; no other command is a reason."""
    for verb, wrong in (("rebalance", []), ("pause", ["I14"])):
        told = ShownHistory()
        told.issued("a", 3, hold="orders-0@3")
        told.commanded(verb)
        told.issued("a", 4, hold="orders-0@3")

        assert wrong == told.wrong


ASKED = {
    "a join": (lambda told: told.joined("a"), 600),
    "a command": (lambda told: told.commanded("rebalance"), 600),
    "a start": (ShownHistory.started, 61),
}


@pytest.mark.parametrize(("asks", "seconds"), ASKED.values(), ids=ASKED.keys())
def test_who_asked_is_answered_as_soon_as_the_group_can(
    asks: Callable[[ShownHistory], object], seconds: int
) -> None:
    """It waits a minute for the rest of what a start has found; its step may fail for longer."""
    told = ShownHistory(Promises(exact=False))
    told.ticks()
    told.issued("a", 3, hold="orders-0@3")
    asks(told)
    for _ in range(seconds):
        told.ticks()
    told.issued("a", 4, hold="orders-0@3")
    assert [] == told.details

    told.issued("a", 5, hold="orders-0@3")
    assert ["I14"] == told.wrong


@pytest.mark.parametrize("answered", [False, True])
def test_who_asked_twice_may_be_answered_twice_but_not_much_later(*, answered: bool) -> None:
    """Without an order, the second join may have been read after the first answer."""
    told = ShownHistory(Promises(exact=False))
    told.ticks()
    told.issued("a", 3, hold="orders-0@3")
    told.joined("a")
    told.joined("a")
    told.issued("a", 4, hold="orders-0@3")
    for _ in range(1 if answered else 61):
        told.ticks()
    told.issued("a", 5, hold="orders-0@3")

    assert ([] if answered else ["I14"]) == told.wrong


def test_a_start_that_says_nothing_is_no_reason_later() -> None:
    """As all starts do that find what they know."""
    told = ShownHistory(Promises(exact=False))
    told.ticks()
    told.issued("a", 3, hold="orders-0@3")
    told.started()
    for _ in range(130):
        told.ticks()
    told.issued("a", 4, hold="orders-0@3")

    assert ["I14"] == told.wrong


def test_all_that_one_start_has_found_lets_each_be_told_once() -> None:
    """It is a record for each member, and a large group has many."""
    told = ShownHistory(Promises(exact=False))
    told.issued("a", 3, hold="orders-0@3")
    for start in ("1", "1", "1", "2"):
        told.started(start)
    for epoch in (4, 5, 6):
        told.issued("a", epoch, hold="orders-0@3")

    assert ["I14"] == told.wrong


def test_an_old_memory_may_repeat_what_it_said() -> None:
    """Nobody obeys it; then it goes on above, and may tell everybody anew (A7)."""
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3")
    told.summarised(3)
    told.issued("a", 5, hold="orders-0@3 orders-1@5")
    told.summarised(5)
    told.started()
    told.issued("a", 3, hold="orders-0@3")
    told.summarised(3)
    told.issued("a", 6, hold="orders-0@3 orders-1@5")
    told.summarised(6)

    assert [] == told.details


def test_an_old_memory_that_says_something_else_is_seen() -> None:
    """Under an epoch that was used already, to whomever."""
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3")
    told.issued("a", 5, hold="orders-0@3 orders-1@5")
    told.started()
    told.issued("a", 3, hold="orders-0@3", content="other")
    told.issued("b", 3)

    assert ["I4", "I4"] == told.wrong


def test_an_old_memory_must_be_over_once_it_went_on() -> None:
    """What it says below its own last epoch is deaf again."""
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3")
    told.issued("a", 5, hold="orders-0@3 orders-1@5")
    told.started()
    told.issued("a", 6, hold="orders-0@3 orders-1@5")
    told.issued("a", 5, hold="orders-0@3 orders-1@5")

    assert ["I4"] == told.wrong


def test_of_a_very_old_memory_nobody_can_say_what_it_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The auditor remembers so much and no more."""
    monkeypatch.setattr(epochs, "_MEANINGS_REMEMBERED", 1)
    told = ShownHistory()
    told.issued("a", 3, hold="orders-0@3")
    told.issued("a", 5, hold="orders-0@3 orders-1@5")
    told.started()
    told.issued("a", 3, hold="orders-0@3", content="other")

    assert [] == told.details


def over(told: ShownHistory) -> None:
    """A group is used, left and forgotten, at epoch 8."""
    told.issued("a", 7, hold="orders-0@7")
    told.summarised(7)
    told.withdrawn("a")
    told.summarised(8, "empty")


def test_a_group_that_is_over_goes_on_above() -> None:
    """Whether its controller remembers or begins anew."""
    for begins_anew in (False, True):
        told = ShownHistory()
        over(told)
        if begins_anew:
            told.started()
        told.issued("b", 9, hold="orders-0@9")
        told.summarised(9)

        assert [] == told.details


def test_a_last_word_that_is_taken_back_is_seen() -> None:
    """Whoever starts could not know at which epoch the group was."""
    told = ShownHistory()
    over(told)
    told.effaced()

    assert ["I4"] == told.wrong


@pytest.mark.parametrize("starts", [False, True])
def test_a_token_that_goes_back_behind_a_tombstone_is_seen(*, starts: bool) -> None:
    """All was withdrawn; a store that was fenced remembers (I3)."""
    told = ShownHistory()
    over(told)
    told.effaced()
    if starts:
        told.started()
    told.issued("b", 1, hold="orders-0@1")

    assert "I4" in told.wrong[1:]
    assert starts or "I3" in told.wrong


def test_an_old_memory_repeats_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a group that begins at 1 again after a start would pass for a very old one for ever."""
    monkeypatch.setattr(epochs, "_MEANINGS_REMEMBERED", 1)
    told = ShownHistory()
    over(told)
    told.started()
    told.issued("b", 1, hold="orders-0@1")
    told.issued("b", 2, hold="orders-0@1 orders-1@2")

    assert ["I4"] == told.wrong
