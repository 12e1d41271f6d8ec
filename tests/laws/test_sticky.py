"""The laws of STICKY, on small random groups, against an oracle that tries everything."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allocators.sticky.strategy import sticky
from rebalance.allocation import AllocationRequest, Applicant
from rebalance.ids import BrokerName, MemberId, Queue, TopicName
from rebalance.owners import Renamed, owned_by
from tests.builders import sticky_oracle as oracle
from tests.builders.effort import DEEP, tried
from tests.laws import sticky_flow as flow
from tests.laws.sticky_groups import GONE, MEMBERS, dice, requests

pytestmark = pytest.mark.timeout(7200 if DEEP else 300)

laws = tried(least=500)


@pytest.mark.slow
@laws
@given(requests())
def test_nothing_better_exists(request: AllocationRequest) -> None:
    """Assigned queues, loads, moves and spread are, in this order, the best there is.

    And no queue is forgotten: what has no owner has a reason.
    """
    plan = sticky(request)
    queues = {queue for shelf in request.queues.values() for queue in shelf}

    assert oracle.allowed(request, plan.owners)
    assert oracle.best(request) == oracle.worth(request, plan.owners)
    assert queues == plan.owners.keys() | plan.unassigned.keys()
    assert not plan.owners.keys() & plan.unassigned.keys()


@pytest.mark.slow
@laws
@given(requests(), st.sampled_from(["joins", "leaves"]))
def test_nothing_better_exists_after_a_change(request: AllocationRequest, change: str) -> None:
    """From its own answer too, one member more or less: the best spread that so few moves allow."""
    people = dict(request.candidates)
    name, one = people.popitem() if people else (GONE, Applicant(frozenset()))
    fewer = AllocationRequest(people, request.queues, request.current)
    more = AllocationRequest({**people, name: one}, request.queues, request.current)
    before, after = (fewer, more) if change == "joins" else (more, fewer)
    changed = AllocationRequest(after.candidates, after.queues, sticky(before).owners)

    assert oracle.best(changed) == oracle.worth(changed, sticky(changed).owners)


@pytest.mark.slow
@laws
@given(requests(), dice(), st.sets(st.sampled_from(MEMBERS)))
def test_renamed_owners_are_read_as_a_dictionary_is(
    request: AllocationRequest, deck: random.Random, left: set[MemberId]
) -> None:
    """Laid over its own answer, twice: the same plan, and it knows what it changed."""
    answer = sticky(request).owners
    there = {it: one for it, one in request.candidates.items() if it not in left}
    current = answer
    for _ in range(2):
        some = deck.sample(sorted(answer), len(answer) // 2)
        current = Renamed(current, {it: deck.choice([*MEMBERS, GONE]) for it in some})
    written = dict(current.items())
    plan = sticky(AllocationRequest(there, request.queues, current))
    plainly = sticky(AllocationRequest(there, request.queues, written))

    assert written == {queue: current[queue] for queue in answer}
    assert {it for it in written if written[it] in left} == set(
        owned_by(current, left.__contains__)
    )
    assert plainly.owners == plan.owners
    assert plan.changed is not None
    assert set(plan.changed) == {
        queue
        for queue in written.keys() | plan.owners.keys()
        if written.get(queue) != plan.owners.get(queue)
    }


@pytest.mark.slow
@laws
@given(requests(), dice())
def test_only_the_request_counts(request: AllocationRequest, deck: random.Random) -> None:
    """Any order of the input has the same answer, and asked about that answer nothing moves.

    It is the same whether it comes back as the array that it is or as a dictionary.
    """
    queues = {
        topic: tuple(deck.sample(request.queues[topic], len(request.queues[topic])))
        for topic in deck.sample(list(request.queues), len(request.queues))
    }
    people = dict(deck.sample(list(request.candidates.items()), len(request.candidates)))
    current = dict(deck.sample(list(request.current.items()), len(request.current)))
    plan = sticky(request)

    assert plan == sticky(AllocationRequest(people, queues, current))
    for owners in (plan.owners, dict(plan.owners)):
        again = sticky(AllocationRequest(request.candidates, request.queues, owners))
        assert plan.owners == again.owners


COPIES = 70


def copied(request: AllocationRequest) -> AllocationRequest:
    """Put many such groups into one; their subscriptions do not overlap."""
    people, queues, current = dict[MemberId, Applicant](), {}, {}
    for copy in range(COPIES):
        for name, one in request.candidates.items():
            topics = frozenset(copy_of(copy, topic) for topic in one.topics)
            rest = one.weight, one.capacity, one.rack
            people[MemberId(f"{copy:02} {name}")] = Applicant(topics, *rest)
        for topic, shelf in request.queues.items():
            renamed = copy_of(copy, topic)
            queues[renamed] = tuple(it._replace(topic=renamed) for it in shelf)
        for queue, owner in request.current.items():
            moved = queue._replace(topic=copy_of(copy, queue.topic))
            current[moved] = MemberId(f"{copy:02} {owner}")
    return AllocationRequest(people, queues, current)


def copy_of(copy: int, topic: TopicName) -> TopicName:
    """Name it."""
    return TopicName(f"{copy:02} {topic}")


@pytest.mark.slow
@tried(least=150, one_in=10)
@given(requests())
def test_who_does_not_overlap_does_not_matter(request: AllocationRequest) -> None:
    """However many groups there are in one, each is answered as if it were alone."""
    alone = sticky(request).owners
    together = sticky(copied(request)).owners

    assert len(alone) * COPIES == len(together)
    for queue, owner in together.items():
        copy, topic = queue.topic.split()
        assert f"{copy} {alone[queue._replace(topic=TopicName(topic))]}" == owner


@pytest.mark.slow
@tried(least=100, one_in=10)
@given(dice(), st.integers(2, 9), st.sampled_from([0.3, 0.6, 1.0]))
def test_nothing_better_flows(deck: random.Random, members: int, picky: float) -> None:
    """In groups too large to try everything, a min-cost flow finds nothing better either."""
    names = [MemberId(f"m{place}") for place in range(members)]
    topics = [TopicName(f"t{place}") for place in range(deck.randint(1, 6))]
    people = {
        name: Applicant(
            frozenset(topic for topic in topics if deck.random() < picky),
            deck.choice([1, 1, 1, 2, 5]),
            deck.choice([None, None, None, 1, 4]),
        )
        for name in names
    }
    queues = {
        topic: tuple(Queue(topic, BrokerName(""), place) for place in range(deck.randint(0, 7)))
        for topic in topics
    }
    few = names[: deck.randint(1, members)]
    current = {
        queue: deck.choice([*few, GONE])
        for shelf in queues.values()
        for queue in shelf
        if deck.random() < 0.8
    }
    request = AllocationRequest(people, queues, current)
    prices = flow.Prices(request)
    plan = sticky(request)

    assert oracle.allowed(request, plan.owners)
    assert flow.least(prices) == prices.of(plan.owners)
