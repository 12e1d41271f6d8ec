"""The laws of STICKY for queues of unequal weight, on small random groups."""

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest, Candidate
from rebalance.ids import MemberId, Queue
from tests.builders import sticky_oracle as oracle
from tests.builders.effort import tried
from tests.laws.sticky_groups import TOPICS, dice, requests

WEIGHTS = st.fixed_dictionaries({topic: st.sampled_from([1, 2, 3, 7, 10**19]) for topic in TOPICS})


def answered(request: AllocationRequest, weights: Mapping[str, int]) -> AllocationPlan:
    """Ask with a weight for each topic."""
    return allocator("STICKY", {"queue_weights": weights})(request)


@tried(least=200)
@given(requests(), WEIGHTS)
def test_all_that_can_be_assigned_is(request: AllocationRequest, weights: dict[str, int]) -> None:
    """As many queues have an owner, one that may have it, as without weights."""
    plan = answered(request, weights)

    assert oracle.allowed(request, plan.owners)
    assert len(allocator("STICKY")(request).owners) == len(plan.owners)
    assert len(plan.unassigned) == sum(map(len, request.queues.values())) - len(plan.owners)


@pytest.mark.slow
@tried(least=200)
@given(requests(), WEIGHTS)
def test_nobody_is_more_than_a_queue_apart(
    request: AllocationRequest, weights: dict[str, int]
) -> None:
    """Whoever took another's heaviest queue would stand at least as high as that one does."""
    owners = answered(request, weights).owners
    loads, counts = Counter[MemberId](), Counter(owners.values())
    for queue, owner in owners.items():
        loads[owner] += weights[queue.topic]

    def lift(name: MemberId, more: int = 0) -> Fraction:
        return Fraction(loads[name] + more, request.candidates[name].weight)

    def may(queue: Queue, one: Candidate, name: MemberId) -> bool:
        room = one.capacity is None or counts[name] < one.capacity
        return room and queue.topic in one.topics

    for other in request.candidates:
        for name, one in request.candidates.items():
            theirs = [queue for queue, owner in owners.items() if owner == other]
            heaviest = max(
                (weights[each.topic] for each in theirs if may(each, one, name)), default=0
            )
            if heaviest and name != other:
                assert lift(name, heaviest) >= lift(other)


@pytest.mark.slow
@tried(least=200)
@given(requests(), WEIGHTS, dice())
def test_only_the_request_counts(
    request: AllocationRequest, weights: dict[str, int], deck: random.Random
) -> None:
    """Any order of the input has the same answer, and that answer moves nothing."""
    plan = answered(request, weights)
    people = dict(deck.sample(list(request.candidates.items()), len(request.candidates)))
    queues = {
        topic: tuple(deck.sample(request.queues[topic], len(request.queues[topic])))
        for topic in deck.sample(list(request.queues), len(request.queues))
    }

    assert plan == answered(AllocationRequest(people, queues, request.current), weights)
    assert plan == answered(AllocationRequest(people, queues, dict(plan.owners)), weights)
