"""One owner: what the records of a controller gone wrong give away (I1, I3)."""

import pytest

from audit.checker import Promises
from tests.unit.audit.histories import ShownHistory, a_hand_over


def test_a_hand_over_by_the_rules_is_no_violation() -> None:
    """Promise, release, confirmation: nobody overlaps."""
    told = a_hand_over()
    told.releases("a", "orders-0@1>2")
    told.issued("a", 3, hold="orders-1@1")
    told.issued("b", 3, hold="orders-0@2")
    told.batch_ends()

    assert [] == told.details


def test_an_heir_confirmed_before_the_release_is_seen() -> None:
    """Whoever is told to hold may work at once, and the holder has not let go."""
    told = a_hand_over()
    told.issued("b", 3, hold="orders-0@2")
    told.batch_ends()

    assert ["I1"] == told.wrong
    assert "a@1 and b@2 may both work on it" in told.details[0]


def test_a_later_release_does_not_clear_the_controller() -> None:
    """What was wrong when it was said stays wrong."""
    told = a_hand_over()
    told.issued("b", 3, hold="orders-0@2")
    told.releases("a", "orders-0@1>2")
    told.batch_ends()

    assert ["I1"] == told.wrong


def test_a_release_of_another_epoch_frees_nothing() -> None:
    """Only the exact grant is let go."""
    told = a_hand_over()
    told.releases("a", "orders-1@2>3")
    told.issued("b", 3, hold="orders-1@3", inherit="orders-0@2<a@1")
    told.batch_ends()

    assert ["I1"] == told.wrong


def test_a_beat_proves_that_a_queue_was_let_go() -> None:
    """The release was lost; the beat after the order does not list the queue (C7)."""
    told = a_hand_over()
    told.beats("a", epoch=2, owned="orders-1@1")
    told.issued("b", 3, hold="orders-0@2")
    told.batch_ends()

    assert [] == told.details


def test_a_beat_from_before_the_order_proves_nothing() -> None:
    """It had not been told yet."""
    told = a_hand_over()
    told.beats("a", epoch=1, owned="orders-1@1")
    told.issued("b", 3, hold="orders-0@2")
    told.batch_ends()

    assert ["I1"] == told.wrong


def test_a_withdrawal_in_the_same_batch_clears_the_successor() -> None:
    """The records of one batch stand in no agreed order."""
    told = a_hand_over()
    told.issued("b", 3, hold="orders-0@2 orders-1@3")
    told.withdrawn("a")
    told.batch_ends()

    assert [] == told.details


def test_a_withdrawal_after_the_next_epoch_is_too_late() -> None:
    """Between the two epochs both could have worked."""
    told = a_hand_over()
    told.issued("b", 3, hold="orders-0@2")
    told.issued("c", 4)
    told.withdrawn("a")

    assert ["I1"] == told.wrong


def test_a_younger_life_after_the_next_epoch_is_too_late() -> None:
    """The same, and its orders may be the first of that epoch."""
    told = a_hand_over()
    told.issued("b", 3, hold="orders-0@2")
    told.issued("a:2", 4)

    assert ["I1"] == told.wrong


def test_a_younger_life_ends_the_older_one() -> None:
    """Orders for the second life say that the first is fenced (C1)."""
    told = a_hand_over()
    told.issued("a:2", 3, hold="orders-1@3")
    told.issued("b", 3, hold="orders-0@2")
    told.batch_ends()

    assert [] == told.details


def test_a_twin_that_is_told_apart_ends_nobody() -> None:
    """Each life has a key of its own: the orders of the older one stand beside the younger's."""
    told = ShownHistory()
    told.issued("a", 1, hold="orders-0@1", apart=True)
    told.issued("a:2", 2, hold="orders-0@2", apart=True)
    told.batch_ends()

    assert ["I1"] == told.wrong


def test_a_twin_that_is_not_fenced_is_seen() -> None:
    """Two names, one queue: the older one was never given up."""
    told = a_hand_over()
    told.issued("c", 3, hold="orders-1@3")
    told.batch_ends()

    assert ["I1"] == told.wrong


def test_a_leave_frees_everything() -> None:
    """Whoever left has stopped."""
    told = a_hand_over()
    told.leaves("a")
    told.issued("b", 3, hold="orders-0@2 orders-1@3")
    told.batch_ends()

    assert [] == told.details


def test_a_grant_under_an_old_epoch_is_seen() -> None:
    """A new grant has an epoch of its own, above all others of the queue (I3)."""
    told = a_hand_over()
    told.leaves("a")
    told.leaves("b")
    told.issued("c", 3, hold="orders-0@2")

    assert ["I3"] == told.wrong


def test_a_token_that_goes_back_is_seen() -> None:
    """Work under a smaller epoch than before would be refused where it lands (I3)."""
    told = ShownHistory()
    told.issued("b", 4, inherit="orders-0@4<c@3")
    told.issued("a", 5, hold="orders-0@5")
    told.leaves("a")
    told.issued("b", 6, hold="orders-0@4")

    assert ["I3"] == told.wrong


def test_an_eager_member_lets_go_with_its_new_assignment() -> None:
    """It says nothing: what they do not tell it to hold, it works on no more."""
    told = ShownHistory()
    told.joined("a", eager=1)
    told.joined("b")
    told.issued("a", 1, hold="orders-0@1 orders-1@1")
    told.issued("b", 2, hold="orders-1@2")
    told.issued("a", 2, hold="orders-0@1")
    told.batch_ends()

    assert [] == told.details


def test_an_eager_member_that_was_told_nothing_holds_on() -> None:
    """Nobody else may have what its last orders say is its own."""
    told = ShownHistory()
    told.joined("a", eager=1)
    told.joined("b")
    told.issued("a", 1, hold="orders-0@1")
    told.issued("b", 2, hold="orders-0@2")
    told.batch_ends()

    assert ["I1"] == told.wrong


def test_those_who_work_in_common_own_nothing() -> None:
    """Each works on the same, beside the one who owns it."""
    told = ShownHistory()
    told.joined("a", broadcasting=1)
    told.joined("b", sharing=1)
    for name in "ab":
        told.issued(name, 1, hold="orders-0@1")
    told.joined("c")
    told.issued("c", 1, hold="orders-0@1")
    told.batch_ends()

    assert [] == told.details


@pytest.mark.parametrize("told_so", [False, True])
def test_who_goes_over_to_the_commons_owns_nothing_any_more(*, told_so: bool) -> None:
    """It works on everything now, by right: nobody need wait for what it held, nor for its word."""
    told = ShownHistory()
    told.joined("a")
    told.joined("b")
    told.issued("a", 1, hold="orders-0@1")
    told.joined("a", broadcasting=1)
    told.issued("b", 2, hold="orders-0@2")
    if told_so:
        told.issued("a", 2, hold="orders-0@1")
    told.batch_ends()

    assert [] == told.details


def test_a_client_that_comes_back_in_its_only_life_is_judged_again() -> None:
    """RocketMQ's have no other."""
    told = ShownHistory(Promises())
    told.joined("a", eager=1)
    told.issued("a", 1, hold="orders-0@1")
    told.leaves("a")
    told.withdrawn("a")
    told.joined("a", eager=1)
    told.joined("b")
    told.issued("a", 2, hold="orders-0@2")
    told.issued("b", 3, hold="orders-0@3")
    told.beats("b", epoch=3, owned="orders-0@3")
    told.issued("b", 4, hold="orders-0@3")

    assert ["I1"] == told.wrong
