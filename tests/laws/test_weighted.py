"""The laws of STICKY for queues of unequal weight, on small random groups."""

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest, Applicant
from rebalance.ids import BrokerName, MemberId, Queue
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
    """Whoever took another's heaviest queue would stand at least as high as that one does.

    Or has no room for it, and nothing lighter that the other may have in exchange.
    """
    owners = answered(request, weights).owners
    loads, counts = Counter[MemberId](), Counter(owners.values())
    for queue, owner in owners.items():
        loads[owner] += weights[queue.topic]

    def lift(name: MemberId, more: int = 0) -> Fraction:
        return Fraction(loads[name] + more, request.candidates[name].weight)

    def is_full(name: MemberId) -> bool:
        capacity = request.candidates[name].capacity
        return capacity is not None and counts[name] >= capacity

    def given(one: MemberId, other: MemberId) -> list[int]:
        topics = request.candidates[other].topics
        return [
            weights[it.topic] for it, who in owners.items() if who == one and it.topic in topics
        ]

    for other in request.candidates:
        for name in request.candidates:
            heaviest = max(given(other, name), default=0)
            if heaviest and name != other and lift(name, heaviest) < lift(other):
                assert is_full(name)
                assert heaviest <= min(given(name, other), default=heaviest)


@tried(least=100)
@given(st.lists(st.sampled_from([1, 2, 3, 7, 50]), min_size=2, max_size=12), dice())
def test_equal_members_end_within_a_queue_also_where_their_caps_just_fit(
    weights: list[int], deck: random.Random
) -> None:
    """Whoever has what at first, and however many there are."""
    count = deck.randint(2, 4)
    cap = -(-len(weights) // count)
    people = {MemberId(f"m{it}"): Applicant(frozenset({TOPICS[0]}), 1, cap) for it in range(count)}
    queues = tuple(Queue(TOPICS[0], BrokerName(""), it) for it in range(len(weights)))
    had = deck.sample([*people] * cap, len(queues))
    told = {TOPICS[0]: [["", place, weight] for place, weight in enumerate(weights)]}
    request = AllocationRequest(people, {TOPICS[0]: queues}, dict(zip(queues, had, strict=True)))
    plan = allocator("STICKY", {"queue_weights": told})(request)

    shelves = {it: [weights[q.id] for q, who in plan.owners.items() if who == it] for it in people}
    fullest = max(shelves.values(), key=sum)
    assert len(queues) == len(plan.owners)
    assert sum(fullest) - min(map(sum, shelves.values())) <= max(fullest)


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
