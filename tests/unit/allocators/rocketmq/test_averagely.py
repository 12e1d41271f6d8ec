"""AVG as the brain asks for it: the real RocketMQ's answers, for a whole group at once.

RocketMQ hands its strategies lists that it has sorted; the brain hands over maps in any order. So
every vector of AVG whose lists are sorted and without repetitions is a question of the brain's.
"""

import json
from pathlib import Path

from allocators.java_order import queue_order
from allocators.rocketmq.averagely import averagely
from rebalance.allocation import AllocationRequest, Applicant
from rebalance.ids import MemberId, Queue, TopicName, java_order
from tests.builders.lines import Line, of_each

VECTORS = Path(__file__).parents[3] / "fixtures" / "vectors" / "rocketmq" / "allocate.jsonl"


def queues(line: Line) -> list[Queue]:
    """Read the queues of a vector."""
    return [Queue(*each) for each in line["queues"]]


def is_a_question_of_the_brain(line: Line) -> bool:
    """Tell whether a vector's lists are as RocketMQ would sort them, and name everybody once."""
    if line["strategy"] != "AVG" or "expect_by_cid" not in line:
        return False
    clients, asked = line["cids"], queues(line)
    return (
        clients == sorted(set(clients), key=java_order)
        and asked == sorted(set(asked), key=queue_order)
        and "" not in clients  # no member is called so
    )


LINES = [
    line
    for line in map(json.loads, VECTORS.read_text("ascii").splitlines())
    if is_a_question_of_the_brain(line)
]


@of_each(LINES)
def test_everybody_gets_what_the_real_rocketmq_gives(line: Line) -> None:
    """One request answers every client as a call of its own would have, in whatever order."""
    asked = queues(line)
    topics = frozenset({TopicName(asked[0].topic)})
    candidates = {MemberId(client): Applicant(topics) for client in reversed(line["cids"])}
    request = AllocationRequest(candidates, {asked[0].topic: tuple(reversed(asked))})
    owners = averagely(request).owners
    expected = {Queue(*each): client for client, share in line["expect_by_cid"] for each in share}

    assert expected == owners


def test_there_are_enough_questions() -> None:
    """A file that was cut must not turn into a test of nothing."""
    assert len(LINES) >= 400


def test_queues_of_a_topic_that_nobody_subscribes_say_so() -> None:
    """What is left over has a reason."""
    queue = Queue(*json.loads('["orders", "", 0]'))
    plan = averagely(AllocationRequest({}, {queue.topic: (queue,)}))

    assert {} == plan.owners
    assert {queue: "no member subscribes the topic"} == plan.unassigned
