"""Nobody is meant to own more than it can carry, whatever the strategy (C17)."""

import pytest

from allocators import allocator
from rebalance.allocation import AllocationPlan
from rebalance.groups.model.capacity import FULL, limited
from rebalance.groups.model.overview import GroupSummarised
from rebalance.ids import MemberId
from tests.builders.notation import queue
from tests.builders.records import joined, routed
from tests.builders.story import Story, only

A, B = MemberId("a"), MemberId("b")
QUEUES = [queue(f"orders-{number}") for number in range(4)]


@pytest.mark.parametrize(
    "name", ["AVG", "AVG_BY_CIRCLE", "CONSISTENT_HASH", "RANGE", "ROUND_ROBIN", "STICKY"]
)
def test_it_holds_for_every_strategy(name: str) -> None:
    """What nobody can carry has no owner, and that is said."""
    story = Story(allocator=allocator(name))
    story.reads(joined("a", capacity=1), routed("orders", 4))

    assert 1 == len(story.owners())
    [summary] = only(GroupSummarised, story.decided)
    assert 3 == summary.unassigned


def test_a_member_keeps_what_it_was_to_have_before() -> None:
    """Else queues would move for nothing."""
    plan = AllocationPlan(dict.fromkeys(QUEUES[:3], A) | {QUEUES[3]: B})
    kept = limited(plan, {A: 1}, {QUEUES[2]: A})

    assert {QUEUES[2]: A, QUEUES[3]: B} == kept.owners
    assert dict.fromkeys(QUEUES[:2], FULL) == kept.unassigned


def test_a_plan_that_fits_is_left_alone() -> None:
    """With all that it knows of itself."""
    plan = AllocationPlan({QUEUES[0]: A}, {}, [QUEUES[0]])
    assert plan is limited(plan, {A: 1}, {})
    assert plan is limited(plan, {}, {})


def test_a_strategy_that_heeds_capacity_is_not_counted_after() -> None:
    """In a group of 50,000 queues that costs as much as the strategy itself."""
    plan = AllocationPlan(dict.fromkeys(QUEUES, A), heeds_capacity=True)
    assert plan is limited(plan, {A: 1}, {})
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("a", capacity=1), routed("orders", 4))
    assert 1 == len(story.owners())
