"""History says who got queues that nobody had."""

from rebalance.groups.model.decisions import Granted, HandedOver
from rebalance.groups.model.policy import Policy
from tests.builders.amnesia import a_story, at_work
from tests.builders.notation import queue_text
from tests.builders.records import joined, left, routed
from tests.builders.story import Story, only


def granted(story: Story) -> dict[str, str]:
    """By member, what the last batch said it got that nobody had."""
    return {it.member: " ".join(map(queue_text, it.queues)) for it in only(Granted, story.decided)}


def test_a_queue_that_nobody_had_is_granted() -> None:
    """With the epoch of its grant, and the cause; also queues that a topic gets later."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    assert {"a": "orders-0 orders-1"} == granted(story)
    (first,) = only(Granted, story.decided)
    assert (1, "route") == (first.epoch, first.cause.kind)

    story.reads(routed("orders", 3, version=2))
    assert {"a": "orders-2"} == granted(story)


def test_what_is_handed_over_was_had() -> None:
    """And what comes to others after a departure as well; what was free meanwhile was not."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.settles()
    assert 1 == len(only(Granted, story.decisions))
    assert [("a", "b")] == [
        (it.from_member, it.to_member) for it in only(HandedOver, story.decisions)
    ]

    story.reads(left("a"), left("b"))
    story.ticks()
    story.reads(joined("c"))
    assert {"c": "orders-0 orders-1"} == granted(story)


def test_what_is_found_published_was_granted_before() -> None:
    """A controller that has forgotten everything grants nothing."""
    story = at_work(Policy())
    story.forgets()

    assert {} == granted(story)
