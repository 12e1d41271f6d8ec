"""What a group takes in is what one member can be told of, and what is left out is shown."""

from itertools import pairwise

import pytest

from rebalance.causes import CauseKind
from rebalance.groups.model.decisions import Rebalanced, TopicLeftOut
from rebalance.groups.model.extent import Extent, extent_of
from rebalance.groups.model.overview import GroupPhase, GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.route import Route
from rebalance.groups.summary import NO_ROOM
from rebalance.ids import BrokerName, Queue, TopicName
from tests.builders.records import joined, left, routed, wild
from tests.builders.story import Story, only

T = TopicName("t")


def a_route(*queues: tuple[str, int]) -> Route:
    """A topic with these queues."""
    return Route(1, exists=True, queues=tuple(Queue(T, BrokerName(b), n) for b, n in queues))


def test_a_name_counts_for_each_list_that_may_say_it() -> None:
    """Hold, give and inherit: three times at the most, and for each broker."""
    sizes = [extent_of(T, a_route(*[("", n) for n in range(count)])).size for count in (1, 2, 3, 4)]
    first, second, third = (b - a for a, b in pairwise(sizes))
    wide = extent_of(T, a_route(("a", 0), ("b", 0), ("b", 1)))

    assert first == second == sizes[0]
    assert third < first
    assert 3 == wide.queues
    assert wide.size > sizes[2]


def test_a_topic_of_which_nothing_is_taken_in_is_counted() -> None:
    """One that does not exist is not, nor one of which only some is missing."""
    gone, outside = Route(1, exists=False, queues=()), Route(1, exists=True, queues=(), left_out=5)

    assert [Extent(), Extent(left_out=1)] == [extent_of(T, it) for it in (gone, outside)]


def test_a_topic_without_room_is_shown() -> None:
    """The group is not stable; its queues count as unassigned, with a reason; the history says it.

    And nobody is told of them, so the books agree with what is published.
    """
    story = Story(policy=Policy(max_queues=4))
    story.reads(joined("a", "", patterns=wild("or* pay*")), routed("orders", 3))
    story.reads(routed("payments", 2))
    [summary] = only(GroupSummarised, story.decided)
    [said] = only(TopicLeftOut, story.decided)

    assert GroupPhase.STARVED == summary.phase
    assert (3, 2) == (summary.assigned, summary.unassigned)
    assert ((NO_ROOM, 2),) == summary.shortage
    assert ("payments", 2) == (said.topic, said.queues)
    assert CauseKind.ROUTE == said.cause.kind == summary.cause.kind
    assert [] == only(Rebalanced, story.decided)
    assert {"orders-0", "orders-1", "orders-2"} == story.owners().keys()


def test_it_is_taken_in_when_others_have_gone() -> None:
    """The watcher tells again of what does not show."""
    story = Story(policy=Policy(max_queues=4))
    story.reads(joined("a", "orders"), joined("b", "payments"), routed("orders", 3))
    story.reads(routed("payments", 2))
    assert [] == story.reads(routed("payments", 2, version=2))

    story.reads(left("a"), routed("payments", 2, version=3))

    assert {"payments-0": "b", "payments-1": "b"} == story.owners()
    assert GroupPhase.STABLE == story.phase()


@pytest.mark.parametrize("order", [("orders", "payments"), ("payments", "orders")])
def test_what_came_first_stays(order: tuple[str, str]) -> None:
    """No queue is taken from anybody for a topic that has no room."""
    story = Story(policy=Policy(max_queues=4))
    story.reads(joined("a", "orders payments"), *(routed(topic, 3) for topic in order))
    story.reads(joined("b", "orders payments"))
    story.settles()

    assert {order[0]} == {name.rpartition("-")[0] for name in story.owners()}
    assert GroupPhase.STARVED == story.phase()
