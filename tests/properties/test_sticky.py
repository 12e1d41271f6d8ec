"""The laws of STICKY, on small random groups, against an oracle that tries everything."""

import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from allocators.sticky import sticky
from rebalance.allocation import AllocationRequest, Candidate
from rebalance.ids import BrokerName, MemberId, Queue, TopicName
from tests.properties import sticky_flow as flow
from tests.properties import sticky_oracle as oracle
from tests.properties.sticky_groups import GONE, requests

NIGHTLY = os.environ.get("TRIMTAB_NIGHTLY") == "1"

pytestmark = pytest.mark.timeout(7200 if NIGHTLY else 300)

laws = settings(
    max_examples=20_000 if NIGHTLY else 500,
    deadline=None,  # the oracle takes as long as it takes
    suppress_health_check=[HealthCheck.too_slow],
)


@laws
@given(requests())
def test_nothing_better_exists(request: AllocationRequest) -> None:
    """Assigned queues, loads, moves and spread are, in this order, the best there is."""
    plan = sticky(request)

    assert oracle.allowed(request, plan.owners)
    assert oracle.best(request) == oracle.worth(request, plan.owners)


@laws
@given(requests())
def test_every_queue_has_an_owner_or_a_reason(request: AllocationRequest) -> None:
    """No queue is forgotten, and none is both assigned and excused."""
    plan = sticky(request)
    queues = {queue for shelf in request.queues.values() for queue in shelf}

    assert queues == plan.owners.keys() | plan.unassigned.keys()
    assert not plan.owners.keys() & plan.unassigned.keys()


@laws
@given(requests())
def test_its_own_answer_moves_nothing(request: AllocationRequest) -> None:
    """Asked again about what it said, it says the same, as an array or as a dictionary."""
    owners = sticky(request).owners

    for current in (owners, dict(owners)):
        again = sticky(AllocationRequest(request.candidates, request.queues, current))
        assert owners == again.owners


@laws
@given(requests(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_is_nothing_to_it(
    request: AllocationRequest, deck: random.Random
) -> None:
    """Members, topics, queues and owners may come in any order."""
    queues = {
        topic: tuple(deck.sample(request.queues[topic], len(request.queues[topic])))
        for topic in deck.sample(list(request.queues), len(request.queues))
    }
    people = dict(deck.sample(list(request.candidates.items()), len(request.candidates)))
    current = dict(deck.sample(list(request.current.items()), len(request.current)))

    assert sticky(request) == sticky(AllocationRequest(people, queues, current))


@settings(laws, max_examples=2_000 if NIGHTLY else 100)
@given(st.randoms(use_true_random=False), st.integers(2, 9), st.sampled_from([0.3, 0.6, 1.0]))
def test_nothing_better_flows(dice: random.Random, members: int, picky: float) -> None:
    """In groups too large to try everything, a min-cost flow finds nothing better either."""
    names = [MemberId(f"m{place}") for place in range(members)]
    topics = [TopicName(f"t{place}") for place in range(dice.randint(1, 6))]
    people = {
        name: Candidate(
            frozenset(topic for topic in topics if dice.random() < picky),
            dice.choice([1, 1, 1, 2, 5]),
            dice.choice([None, None, None, 1, 4]),
        )
        for name in names
    }
    queues = {
        topic: tuple(Queue(topic, BrokerName(""), place) for place in range(dice.randint(0, 7)))
        for topic in topics
    }
    few = names[: dice.randint(1, members)]
    current = {
        queue: dice.choice([*few, GONE])
        for shelf in queues.values()
        for queue in shelf
        if dice.random() < 0.8
    }
    request = AllocationRequest(people, queues, current)
    prices = flow.Prices(request)
    plan = sticky(request)

    assert oracle.allowed(request, plan.owners)
    assert flow.least(prices) == prices.of(plan.owners)
