"""The target: what the strategy is asked, and what it may answer."""

from collections.abc import Mapping

import pytest

from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator
from rebalance.groups.target import retarget
from rebalance.ids import MemberId, Millis, Position, TopicName
from rebalance.stamp import Stamp
from tests.builders.group import a_group
from tests.builders.notation import queue

NOW = Stamp(Millis(0), Millis(0), Millis(0), Position(TopicName("log"), 0, 0))
GROUP = (
    a_group()
    .with_member("a", "orders")
    .with_member("b", "orders payments")
    .with_member("c", "orders")
    .with_drain("c")
    .with_route("orders", 2)
    .with_route("payments", 0, exists=False)
    .with_route("visits", 2)
    .with_target("orders-0", "a")
    .with_target("orders-1", "c")
    .with_target("orders-2", "b")
)


def answering(owners: Mapping[str, str]) -> Allocator:
    """Make a strategy that knows only this answer."""
    plan = AllocationPlan({queue(name): MemberId(who) for name, who in owners.items()})
    return lambda _: plan


def test_strategy_is_asked_for_those_who_stay_and_the_queues_there_are() -> None:
    """Draining members are no candidates; topics without queues or members are no question."""
    asked: list[AllocationRequest] = []

    def listening(request: AllocationRequest) -> AllocationPlan:
        asked.append(request)
        return AllocationPlan({})

    retarget(GROUP.drafted(), listening, NOW)
    request = asked[0]

    assert {"a", "b"} == set(request.candidates)
    assert {TopicName("orders"): (queue("orders-0"), queue("orders-1"))} == request.queues
    present = {"orders-0": "a", "orders-1": "c", "orders-2": "b"}
    assert {queue(name): who for name, who in present.items()} == request.current


MOVES = {
    "nothing": ({"orders-0": "a"}, 0),
    "one queue changes its owner": ({"orders-0": "a", "orders-1": "b"}, 1),
    "all do": ({"orders-0": "b", "orders-1": "a"}, 2),
    "a queue left to nobody is no move": ({}, 0),
}


@pytest.mark.parametrize(("answer", "moves"), MOVES.values(), ids=MOVES.keys())
def test_moves_are_queues_meant_for_another_member_than_before(
    answer: dict[str, str], moves: int
) -> None:
    """A queue that was meant for nobody, or is now, did not move from one member to another."""
    draft = GROUP.drafted()

    assert moves == retarget(draft, answering(answer), NOW)
    assert answer == {f"{each.topic}-{each.id}": who for each, who in draft.target.owners.items()}


BROKEN = {
    "a stranger": ({"orders-0": "x"}, "was given to x, which is no candidate"),
    "a draining member": ({"orders-0": "c"}, "was given to c, which is no candidate"),
    "a topic not subscribed": ({"payments-0": "a"}, "was given to a, which does not subscribe it"),
    "a draining member, as before": ({"orders-1": "c"}, "was given to c, which is no candidate"),
    "a queue that is gone, as before": (
        {"orders-2": "b"},
        "was given to b, but there is no such queue",
    ),
    "a queue that is not there": ({"orders-7": "a"}, "was given to a, but there is no such queue"),
}


@pytest.mark.parametrize(("answer", "complaint"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_strategy_changes_nothing_and_is_named(
    answer: dict[str, str], complaint: str
) -> None:
    """A strategy may be a user's own: whatever it answers is held to the contract (I10)."""
    draft = GROUP.drafted()

    assert 0 == retarget(draft, answering(answer), NOW)
    assert draft.ailment is not None
    assert complaint in draft.ailment.reason
    assert draft.before.target.owners == draft.target.owners
