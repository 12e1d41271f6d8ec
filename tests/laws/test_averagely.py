"""Laws of AVG, and the oracle that it must agree with: RocketMQ's own formula, client by client."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allocators.java_order import queue_order
from allocators.rocketmq.averagely import averagely
from rebalance.allocation import AllocationRequest, Applicant
from rebalance.ids import BrokerName, MemberId, Queue, TopicName, java_order
from tests.builders.effort import tried

TOPICS = st.sampled_from("xyz").map(TopicName)
NAMES = st.text(
    st.sampled_from(["a", "b", "Z", "1", "\uffff", "\U0001f600"]), min_size=1, max_size=3
)
"""The last two are in one order for Python and in the other for Java."""

CANDIDATES = st.dictionaries(
    NAMES.map(MemberId), st.frozensets(TOPICS, min_size=1).map(Applicant), max_size=8
)
QUEUES = st.frozensets(
    st.builds(Queue, TOPICS, NAMES.map(BrokerName), st.integers(0, 20)), max_size=40
)


@st.composite
def requests(draw: st.DrawFn) -> AllocationRequest:
    """Draw a question: members, topics and queues in any order."""
    names = draw(st.permutations(sorted(draw(QUEUES))))
    topics = draw(st.permutations(sorted({queue.topic for queue in names})))
    queues = {topic: tuple(each for each in names if each.topic == topic) for topic in topics}
    return AllocationRequest(draw(CANDIDATES), queues)


def subscribers(request: AllocationRequest, topic: TopicName) -> list[MemberId]:
    """Who subscribes a topic, in the order of Java."""
    wanting = [name for name, each in request.candidates.items() if topic in each.topics]
    return sorted(wanting, key=java_order)


def formula(queues: list[Queue], clients: list[MemberId], me: MemberId) -> list[Queue]:
    """RocketMQ's ``AllocateMessageQueueAveragely``, as its class computes one client's share."""
    index, mod = clients.index(me), len(queues) % len(clients)
    if len(queues) <= len(clients):
        average = 1
    elif mod > 0 and index < mod:
        average = len(queues) // len(clients) + 1
    else:
        average = len(queues) // len(clients)
    start = index * average if mod > 0 and index < mod else index * average + mod
    span = min(average, len(queues) - start)
    return [queues[(start + each) % len(queues)] for each in range(span)]


@tried()
@given(requests())
def test_agrees_with_the_formula(request: AllocationRequest) -> None:
    """What each client of RocketMQ would compute for itself is what everybody gets at once."""
    expected = {
        queue: client
        for topic, queues in request.queues.items()
        for clients in [subscribers(request, topic)]
        for client in clients
        for queue in formula(sorted(queues, key=queue_order), clients, client)
    }

    assert expected == averagely(request).owners


@pytest.mark.slow
@tried()
@given(requests())
def test_each_topic_is_balanced_within_one(request: AllocationRequest) -> None:
    """Of each topic, no subscriber has two queues more than another (I9)."""
    owners = averagely(request).owners
    for topic, queues in request.queues.items():
        clients = subscribers(request, topic)
        if clients:
            counts = Counter(dict.fromkeys(clients, 0))
            counts.update(owners[queue] for queue in queues)

            assert max(counts.values()) - min(counts.values()) <= 1


@tried()
@given(requests())
def test_order_of_the_question_does_not_matter(request: AllocationRequest) -> None:
    """Members, topics and queues come in any order; the answer is the same."""
    turned = AllocationRequest(
        dict(reversed(list(request.candidates.items()))),
        {topic: request.queues[topic][::-1] for topic in reversed(list(request.queues))},
    )

    assert averagely(request) == averagely(turned)


@pytest.mark.slow
@tried()
@given(requests())
def test_every_queue_has_an_owner_or_a_reason(request: AllocationRequest) -> None:
    """And an owner subscribes the topic (I10)."""
    plan = averagely(request)
    for topic, queues in request.queues.items():
        for queue in queues:
            if queue in plan.owners:
                assert topic in request.candidates[plan.owners[queue]].topics
            else:
                assert plan.unassigned[queue]
