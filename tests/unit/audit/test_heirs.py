"""Heirs: the first release of a grant says which of them begins (I1)."""

import pytest

from tests.unit.audit.histories import ShownHistory, a_hand_over


def of_two_heirs() -> ShownHistory:
    """The same, and c is promised what b was: it may inherit under 3."""
    told = a_hand_over()
    told.issued("b", 3)
    told.issued("c", 3, inherit="orders-0@3<a@1")
    return told


@pytest.mark.parametrize(
    ("named", "other", "both"), [(2, "c", "b@2 and c@4"), (3, "b", "b@4 and c@3")]
)
def test_of_two_heirs_the_one_that_is_named_begins(named: int, other: str, both: str) -> None:
    """Both wait for one release; whoever else is told to hold is the second at work."""
    told = of_two_heirs()
    told.releases("a", f"orders-0@1>{named}")
    told.batch_ends()
    assert [] == told.details

    told.issued(other, 4, hold="orders-0@4")
    told.batch_ends()
    assert ["I1"] == told.wrong
    assert f"{both} may both work on it" in told.details[0]


@pytest.mark.parametrize("release", ["orders-0@1", "orders-0@1>9"])
def test_a_release_that_names_no_heir_starts_none(release: str) -> None:
    """The queue is the controller's to give."""
    told = of_two_heirs()
    told.releases("a", release)
    told.issued("b", 4, hold="orders-0@4")
    told.batch_ends()

    assert [] == told.details


def test_of_all_releases_of_a_grant_the_first_counts() -> None:
    """Whoever wrote it: the second one, which names another, starts nobody."""
    told = of_two_heirs()
    told.releases("a", "orders-0@1>2")
    told.releases("a", "orders-0@1>3")
    told.issued("b", 4, hold="orders-0@2")
    told.batch_ends()
    assert [] == told.details

    told.issued("c", 5, hold="orders-0@3")
    told.batch_ends()
    assert "I1" in told.wrong


def test_an_heir_that_began_and_let_go_is_no_owner() -> None:
    """Its release frees the way for the next, though the controller never said that it holds."""
    told = a_hand_over()
    told.releases("a", "orders-0@1>2")
    told.releases("b", "orders-0@2>4")
    told.issued("c", 4, inherit="orders-0@4<b@2")
    told.issued("c", 5, hold="orders-0@4")
    told.batch_ends()

    assert [] == told.details


@pytest.mark.parametrize(("named", "wrong"), [(3, ["I1"]), (2, [])])
def test_a_release_that_came_first_starts_the_heir_that_it_names_at_once(
    named: int, wrong: list[str]
) -> None:
    """The two topics have no common order: the heir remembers."""
    told = a_hand_over()
    told.releases("a", f"orders-0@1>{named}")
    told.issued("c", 3, inherit="orders-0@3<a@1")
    told.issued("b", 4, hold="orders-0@4")
    told.batch_ends()

    assert wrong == told.wrong


def of_a_release_that_names_b() -> ShownHistory:
    """The grant that both wait for is over, and b is to begin."""
    told = of_two_heirs()
    told.releases("a", "orders-0@1>2")
    told.batch_ends()
    return told


def test_for_each_grant_the_log_has_one_first_release() -> None:
    """A second one, whoever writes it, neither begins a grant nor excuses one."""
    told = of_a_release_that_names_b()
    told.releases("a", "orders-0@1>3")
    told.beats("b", 3, "orders-0@2")
    told.batch_ends()
    assert [] == told.details

    told.beats("c", 3, "orders-0@3")
    assert ["I1"] == told.wrong
    assert "work under c@3, and the first release before it names 2" in told.details[0]


@pytest.mark.parametrize("said", ["b", "c"])
def test_work_is_done_only_under_a_named_grant(said: str) -> None:
    """What a member lists as its own must have been named, or it was told to hold it."""
    told = of_a_release_that_names_b()
    told.beats(said, 3, f"orders-0@{'2' if said == 'b' else '3'}")

    assert (["I1"] if said == "c" else []) == told.wrong


def test_a_beat_older_than_a_promise_says_nothing_of_it() -> None:
    """Who lists a grant and has not read of it lies, or guesses: the controller refuses that."""
    told = of_a_release_that_names_b()
    told.beats("c", 2, "orders-0@3")

    assert [] == told.details


def test_a_grant_that_no_release_names_is_not_to_be_held() -> None:
    """Who was promised a queue, and was not named, gets it under another epoch or not at all."""
    told = of_two_heirs()
    told.releases("a", "orders-0@1")
    told.issued("c", 4, hold="orders-0@3")

    assert ["I1"] == told.wrong
    assert "work under c@3, and the first release before it names nobody" in told.details[0]


def test_a_release_of_what_was_not_granted_yet_is_a_lie() -> None:
    """It is the first in the log, and whoever obeys waits for the controller's word."""
    told = ShownHistory()
    told.releases("a", "orders-0@1")
    told.issued("a", 1, hold="orders-0@1")
    told.issued("b", 2, inherit="orders-0@2<a@1")
    told.withdrawn("a")
    told.issued("b", 3, hold="orders-0@2")

    assert [] == told.details


def test_a_life_that_is_named_works_whoever_was_promised_the_epoch() -> None:
    """It may be no member yet; whoever is told to hold beside it is the second at work."""
    told = of_two_heirs()
    told.releases("a", "orders-0@1>2=d")
    told.issued("d", 4, hold="orders-0@2")
    told.batch_ends()
    assert [] == told.details

    told.issued("c", 5, hold="orders-0@5")
    told.batch_ends()
    assert ["I1"] == told.wrong
    assert "c@5 and d@2 may both work on it" in told.details[0]


def test_a_life_that_is_named_may_name_another() -> None:
    """A chain that no controller knows of; its epochs grow, and need not be those of the group."""
    told = of_two_heirs()
    told.releases("a", "orders-0@1>2=d")
    told.releases("d", "orders-0@2>3=a:2")
    told.issued("a:2", 4, hold="orders-0@3")
    told.batch_ends()
    assert [] == told.details


@pytest.mark.parametrize("named", ["orders-0@1>1=d", "orders-0@1>0=d"])
def test_a_life_that_is_named_under_no_later_epoch_does_not_begin(named: str) -> None:
    """The queue is free."""
    told = of_two_heirs()
    told.releases("a", named)
    told.issued("c", 4, hold="orders-0@4")
    told.batch_ends()

    assert [] == told.details


def test_a_younger_life_ends_one_that_was_named() -> None:
    """Though that one was never told anything."""
    told = of_two_heirs()
    told.releases("a", "orders-0@1>2=d")
    told.joined("d:2")
    told.issued("d:2", 4, hold="orders-0@4")
    told.batch_ends()

    assert [] == told.details
