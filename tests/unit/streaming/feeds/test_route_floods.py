"""Very many topics that one group asks for keep no other group waiting."""

import pytest

from rebalance.ids import TopicName
from streaming.feeds.group_routes import HINTS, GroupRoutes
from streaming.feeds.route_plan import RoutePlan
from tests.unit.streaming.feeds.test_route_plan import MISSING, kafka, known, told
from trimtab.protocol import limits


def test_what_a_group_asks_for_is_put_together_as_often_for_few_topics_as_for_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Joins for thousands of topics that do not exist would keep all other groups waiting (D4)."""
    calls, named = list[int](), GroupRoutes.named

    def counted(self: GroupRoutes) -> set[str]:
        calls.append(1)
        return named(self)

    monkeypatch.setattr(GroupRoutes, "named", counted)
    times = []
    for count in (10, 1_000):
        plan, topics = RoutePlan(), [str(number) for number in range(count)]
        plan.joined("billing", topics, 0)
        for topic in topics:
            plan.saw(topic, MISSING)
        calls.clear()
        assert count == len(plan.due(0))
        times.append(len(calls))

    assert times[0] == times[1]


def test_joins_alone_ask_for_no_more_than_a_group_has_room_for() -> None:
    """What is beyond it is told when the group's summary asks for it."""
    plan = RoutePlan()
    plan.joined("billing", [str(number) for number in range(HINTS + 1)], 0)
    assert HINTS == len(plan.unseen())
    late = str(HINTS)
    plan.summarised("billing", {late: known(0, 0)}, members=1, now=0)
    plan.saw(late, kafka(4))
    assert [("billing", late, 1, 4)] == told(plan, 0)

    patterns = [f"{number}-*" for number in range(limits.PATTERNS_PER_GROUP + 1)]
    plan.joined("shipping", [], 0, patterns)
    plan.listed(frozenset(TopicName(f"{it[:-1]}x") for it in patterns))
    assert f"{len(patterns) - 2}-x" in plan.wanted()
    assert f"{len(patterns) - 1}-x" not in plan.wanted()
