"""One owner, where not everything was shown: neither joins, nor what compaction took (I1, I3)."""

import pytest

from audit.checker import Promises
from audit.shown import ALL, NONE, Shown
from tests.unit.audit.histories import ShownHistory


def test_whoever_is_told_to_give_was_granted_that_before() -> None:
    """Compaction leaves the newest orders of each: which made the grant are gone."""
    told = ShownHistory(Promises())
    told.issued("a", 4, inherit="orders-0@4<b@1")
    told.issued("b", 4, give="orders-0@1")
    told.ends()

    assert [] == told.details


def without_joins(*, releases: bool = False) -> ShownHistory:
    """A holds a queue under 1. Nobody's coming or going is shown, nor, perhaps, a release."""
    told = ShownHistory(Promises(joins=NONE, releases=ALL if releases else NONE))
    told.issued("a", 1, hold="orders-0@1 orders-1@1")
    return told


def told_to_give() -> ShownHistory:
    """The same, and a is told to give the first of its queues; a release would be shown."""
    told = without_joins(releases=True)
    told.issued("a", 2, hold="orders-1@1", give="orders-0@1")
    return told


def test_two_who_are_told_to_hold_are_seen_without_joins() -> None:
    """Had the first one left, its orders would have been withdrawn."""
    told = without_joins()
    told.issued("b", 2, hold="orders-0@2")
    told.ends()

    assert ["I1"] == told.wrong
    assert "a@1 and b@2 may both work on it" in told.details[0]


def test_assignments_that_say_the_same_again_clear_nobody() -> None:
    """The newest ones still tell it to hold that very grant."""
    told = without_joins()
    told.issued("b", 2, hold="orders-0@2")
    told.issued("a", 2, hold="orders-0@1")
    told.issued("c", 3)

    assert ["I1"] == told.wrong


@pytest.mark.parametrize(("who", "hold"), [("nobody", ""), ("a:2", ""), ("a", "orders-1@1")])
@pytest.mark.parametrize("first", [False, True])
def test_the_word_of_an_end_clears_before_and_after(who: str, hold: str, *, first: bool) -> None:
    """Withdrawn, replaced, or told of other queues only: in the same batch, in any order."""
    told = without_joins()
    for ends in (first, not first):
        if not ends:
            told.issued("b", 2, hold="orders-0@2")
        elif who == "nobody":
            told.withdrawn("a")
        else:
            told.issued(who, 2, hold=hold)
    told.ends()

    assert [] == told.details


def test_whoever_was_told_to_give_may_have_left_unseen() -> None:
    """Its release may have been lost, and proved by what is not shown."""
    told = told_to_give()
    told.issued("b", 3, hold="orders-0@3")
    told.ends()

    assert [] == told.details


def test_an_heir_that_began_may_have_left_unseen() -> None:
    """It was never told to hold."""
    told = told_to_give()
    told.issued("b", 2, inherit="orders-0@2<a@1")
    told.releases("a", "orders-0@1>2")
    told.issued("c", 3, hold="orders-0@3")
    told.ends()

    assert [] == told.details


def test_whoever_is_there_has_not_left() -> None:
    """A beat since then shows it."""
    told = told_to_give()
    told.issued("b", 3, hold="orders-0@3")
    told.beats("a", epoch=1)
    told.ends()

    assert ["I1"] == told.wrong


def test_every_claim_of_a_member_is_judged_by_itself() -> None:
    """Of two grants of one queue only that which its orders name is certain."""
    told = without_joins()
    told.issued("a", 2, hold="orders-0@2")
    told.issued("b", 3, hold="orders-0@3")
    told.ends()

    assert ["I1"] == told.wrong
    assert "a@2 and b@3" in told.details[0]


def test_assignments_for_the_commons_say_so_themselves() -> None:
    """Nobody need have seen the members join."""
    told = without_joins()
    told.issued("a", 2, hold="orders-0@1", common=True)
    told.issued("b", 2, hold="orders-0@2", common=True)
    told.issued("c", 2, hold="orders-0@2")
    told.ends()

    assert [] == told.details


def test_the_assignment_of_a_twin_is_withdrawn_under_its_life() -> None:
    """Twins that are told apart have keys of their own: the name and the life."""
    told = without_joins()
    told.issued("b", 2, hold="orders-0@2")
    told.withdrawn("a@2")
    told.issued("c", 3)
    assert ["I1"] == told.wrong

    told = without_joins()
    told.issued("b", 2, hold="orders-0@2")
    told.withdrawn("a@1")
    told.issued("c", 3)
    assert [] == told.details


@pytest.mark.parametrize(("kept_since", "wrong"), [(0, ["I1"]), (500, []), (5_000, [])])
def test_what_was_told_before_records_were_kept_may_have_been_answered(
    kept_since: int, wrong: list[str]
) -> None:
    """Of another partition nothing was lost, so all of it is judged as ever."""
    told = ShownHistory(Promises(releases=Shown(since={0: kept_since})))
    told.ticks(100)
    told.issued("a", 1, hold="orders-0@1")
    told.issued("a", 2, hold="orders-1@1", give="orders-0@1")
    told.issued("b", 3, hold="orders-0@3")
    told.issued("a", 4, hold="orders-1@1")
    told.ends()

    assert wrong == told.wrong
