"""Who is told what about topics that it asks for by pattern."""

from rebalance.ids import TopicName
from streaming.feeds.group_routes import HINT_LIFETIME_S
from streaming.feeds.route_plan import RoutePlan
from tests.unit.streaming.feeds.test_route_plan import MISSING, kafka, known, told


def listing(*topics: str) -> frozenset[TopicName]:
    """The topics that exist."""
    return frozenset(map(TopicName, topics))


def a_wild_plan() -> RoutePlan:
    """Begin with a group that asks by pattern and knows one topic."""
    plan = RoutePlan()
    plan.joined("billing", [], 0, ["orders-*"])
    plan.listed(listing("orders-eu", "payments", "__orders-x"))
    plan.saw("orders-eu", kafka(4))
    plan.due(0)
    plan.summarised("billing", {"orders-eu": known(1, 4)}, members=1, now=0, patterns=["orders-*"])
    return plan


def test_a_pattern_asks_for_what_exists_and_matches() -> None:
    """The first join with one makes the watcher look which topics there are."""
    plan = RoutePlan()
    assert not plan.unlisted()
    plan.joined("billing", ["visits"], 0, ["orders-*"])
    assert plan.unlisted()

    plan.listed(listing("orders-eu", "payments", "__orders-x"))
    assert not plan.unlisted()
    assert {"visits", "orders-eu"} == plan.unseen()

    plan.saw("orders-eu", kafka(4))
    assert [("billing", "orders-eu", 1, 4)] == told(plan, 0)


def test_a_summary_asks_by_pattern_as_well() -> None:
    """A watcher that starts anew learns from it; an empty group asks for nothing."""
    plan = RoutePlan()
    plan.summarised("billing", {}, members=1, now=0, patterns=["orders-*"])
    plan.listed(listing("orders-eu"))
    assert {"orders-eu"} == plan.wanted()

    plan.summarised("billing", {}, members=0, now=0)
    assert set() == plan.wanted()


def test_a_topic_that_is_created_later_is_told() -> None:
    """Once it is listed and looked at."""
    plan = a_wild_plan()
    plan.listed(listing("orders-eu", "orders-us"))
    assert {"orders-us"} == plan.unseen()

    plan.saw("orders-us", kafka(2))
    assert [("billing", "orders-us", 1, 2)] == told(plan, 1)


def test_a_topic_of_a_pattern_that_is_deleted_is_told_and_forgotten() -> None:
    """As long as the group knows it; when it does not any more, nobody looks for it."""
    plan = a_wild_plan()
    plan.listed(listing("payments"))
    assert {"orders-eu"} == plan.wanted()
    plan.saw("orders-eu", MISSING)
    assert [("billing", "orders-eu", 2, None)] == told(plan, 1)

    plan.summarised("billing", {}, members=1, now=0, patterns=["orders-*"])
    assert set() == plan.wanted()
    assert [] == told(plan, 1_000)

    plan.listed(listing("orders-eu"))
    plan.saw("orders-eu", kafka(1))
    assert [("billing", "orders-eu", 1, 1)] == told(plan, 1_001)


def test_a_topic_that_is_gone_before_it_was_told_is_no_news() -> None:
    """It was listed, and no more there when it was looked at."""
    plan = a_wild_plan()
    plan.listed(listing("orders-eu", "orders-us"))
    plan.saw("orders-us", MISSING)

    assert [] == told(plan, 1)


def test_a_pattern_that_came_to_nothing_is_forgotten() -> None:
    """Its join was refused; topics are listed no longer."""
    plan = RoutePlan()
    plan.joined("billing", [], 0, ["orders-*"])
    plan.listed(listing("orders-eu"))
    plan.due(HINT_LIFETIME_S)

    assert set() == plan.wanted()
    assert not plan.asks_by_pattern()
