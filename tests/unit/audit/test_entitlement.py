"""Only what is subscribed, only what can be carried, and evenly (I10, I9)."""

import pytest

from audit.checker import Promises
from audit.entitlement import Balance
from tests.unit.audit.histories import ShownHistory


def test_a_queue_outside_the_subscription_is_seen() -> None:
    """A member is never given what it did not ask for."""
    told = ShownHistory()
    told.joined("a", "orders")
    told.issued("a", 1, hold="payments-0@1")

    assert ["I10"] == told.wrong


def test_what_was_granted_before_may_still_be_named() -> None:
    """A holder whose subscription shrank has to be told to give, and heirs to wait."""
    told = ShownHistory()
    told.joined("a", "orders payments")
    told.issued("a", 1, hold="payments-0@1")
    told.joined("a", "orders")
    told.issued("a", 2, hold="orders-0@2", give="payments-0@1")

    assert [] == told.details


def test_a_pattern_entitles_to_what_it_stands_for() -> None:
    """And to nothing else, nor to anything internal."""
    told = ShownHistory()
    told.joined("a", "", patterns="ord* __*")
    told.issued("a", 1, hold="orders-0@1")
    assert [] == told.details

    told.issued("a", 2, hold="orders-0@1 payments-0@2 __state-0@2")
    assert ["I10", "I10"] == told.wrong


def test_too_many_queues_are_seen() -> None:
    """What is meant for a member fits its capacity."""
    told = ShownHistory()
    told.joined("a", capacity=1)
    told.issued("a", 1, hold="orders-0@1 orders-1@1")
    told.batch_ends()

    assert ["I10"] == told.wrong


@pytest.mark.parametrize(("giver", "heir"), [("a", "b"), ("b", "a")])
def test_too_many_are_seen_whoever_is_told_first(giver: str, heir: str) -> None:
    """Records come by name, so an heir may be told before the one that gives to it."""
    told = ShownHistory()
    told.joined(giver)
    told.joined(heir, capacity=1)
    told.issued(giver, 1, hold="orders-0@1 orders-1@1")
    told.issued(heir, 1, hold="orders-2@1")
    for who in sorted((giver, heir)):
        if who == giver:
            told.issued(who, 2, hold="orders-0@1", give="orders-1@1>2")
        else:
            told.issued(who, 2, hold="orders-2@1", inherit=f"orders-1@2<{giver}@1")
    told.batch_ends()
    assert ["I10"] == told.wrong

    told.releases(giver, "orders-1@1>2")
    told.issued(heir, 3, hold="orders-1@2 orders-2@1")
    told.batch_ends()
    assert {"I10"} == set(told.wrong)


@pytest.mark.parametrize(("giver", "heir"), [("a", "b"), ("b", "a")])
def test_what_goes_elsewhere_by_now_is_no_load(giver: str, heir: str) -> None:
    """Whoever is told first: the heir gets another queue instead."""
    told = ShownHistory()
    told.joined(giver)
    told.joined(heir, capacity=1)
    told.joined("c")
    told.issued(giver, 1, hold="orders-0@1")
    told.issued(giver, 2, give="orders-0@1>2")
    told.issued(heir, 2, inherit=f"orders-0@2<{giver}@1")
    told.batch_ends()
    for who in sorted((giver, heir)):
        if who == giver:
            told.issued(who, 3, give="orders-0@1>3")
        else:
            told.issued(who, 3, hold="orders-1@3", inherit=f"orders-0@2<{giver}@1")
    told.batch_ends()

    assert [] == told.details


@pytest.mark.parametrize(
    ("holders", "wrong"), [(("a", "b"), []), (("a", "a"), ["I10"])], ids=["two", "one"]
)
def test_several_that_go_at_once_may_leave_too_much(
    holders: tuple[str, str], wrong: list[str]
) -> None:
    """Each was foreseen for itself; but what one member leaves has to fit."""
    told = ShownHistory()
    for who in ("a", "b"):
        told.joined(who)
        held = [f"orders-{it}@1>2" for it, holder in enumerate(holders) if holder == who]
        told.issued(who, 2, hold=" ".join(held))
    told.joined("c", capacity=1)
    waits = [f"orders-{number}@2<{holder}@1" for number, holder in enumerate(holders)]
    told.issued("c", 2, inherit=" ".join(waits))
    told.batch_ends()
    assert [] == told.details

    for number, holder in enumerate(holders):
        told.releases(holder, f"orders-{number}@1>2")
    told.leaves("a")
    told.leaves("b")
    told.issued("c", 3, hold="orders-0@2 orders-1@2")
    told.batch_ends()
    assert wrong == told.wrong


def test_whose_wishes_were_forgotten_is_asked_for_them() -> None:
    """Until it has said them again, nobody can know what it can carry."""
    told = ShownHistory()
    told.joined("a", capacity=1)
    told.issued("a", 1, hold="orders-0@1 orders-1@1", unheard=True)
    told.batch_ends()
    assert [] == told.details

    told.joined("a", capacity=1)
    told.issued("a", 2, hold="orders-0@1 orders-1@1")
    told.batch_ends()
    assert [] == told.details  # nothing new: what is too much will be called back

    told.issued("a", 3, hold="orders-0@1 orders-1@1 orders-2@3")
    told.batch_ends()
    assert ["I10"] == told.wrong


def test_recorded_topics_are_judged_by_every_wish() -> None:
    """Where the order of reading is not known, both subscriptions count."""
    told = ShownHistory(Promises(exact=False))
    told.joined("a", "payments")
    told.joined("a", "orders")
    told.issued("a", 1, hold="payments-0@1")

    assert [] == told.details


UNEVEN = "orders-0@1 orders-1@1 payments-0@1"


@pytest.mark.parametrize(
    ("promise", "wrong"),
    [(Balance.NOTHING, []), (Balance.IN_TOTAL, ["I9"]), (Balance.BY_TOPIC, ["I9"])],
)
def test_equals_are_treated_equally(promise: Balance, wrong: list[str]) -> None:
    """As far as the strategy promised."""
    told = ShownHistory(Promises(exact=True, balance=promise))
    told.joined("a", "orders payments")
    told.joined("b", "orders payments")
    told.issued("a", 1, hold=UNEVEN)
    told.issued("b", 1, hold="payments-1@1")
    told.summarised(1, "stable")
    told.batch_ends()

    assert wrong == told.wrong


@pytest.mark.parametrize("unlike", ["weight", "drain", "moving", "forgotten"])
def test_only_equals_at_rest_are_compared(unlike: str) -> None:
    """Weights, who leaves, who was forgotten, and a group on the move excuse a difference."""
    told = ShownHistory(Promises(exact=True, balance=Balance.IN_TOTAL))
    told.joined("a", "orders payments", weight=2 if unlike == "weight" else 1)
    told.joined("b", "orders payments")
    told.issued("a", 1, hold=UNEVEN, unheard=unlike == "forgotten")
    told.issued("b", 1)
    if unlike == "drain":
        told.drains("b")
    told.summarised(1, "reconciling" if unlike == "moving" else "stable")
    told.batch_ends()

    assert [] == told.details
