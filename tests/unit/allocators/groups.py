"""Small groups for the tests of strategies, written as short as they are meant."""

from collections.abc import Mapping

from rebalance.allocation import AllocationPlan, AllocationRequest, Applicant
from rebalance.ids import BrokerName, MemberId, Queue, TopicName


def member(*topics: str, weight: int = 1, cap: int | None = None, rack: str = "") -> Applicant:
    """Make a member."""
    return Applicant(frozenset(map(TopicName, topics)), weight, cap, rack)


def shelf(topic: str, count: int) -> tuple[Queue, ...]:
    """Make the queues of a topic."""
    return tuple(Queue(TopicName(topic), BrokerName(""), place) for place in range(count))


def group(
    members: Mapping[str, Applicant],
    topics: Mapping[str, int],
    current: Mapping[Queue, MemberId] | None = None,
) -> AllocationRequest:
    """Make a request."""
    return AllocationRequest(
        {MemberId(name): one for name, one in members.items()},
        {TopicName(topic): shelf(topic, count) for topic, count in topics.items()},
        current or {},
    )


def shares(plan: AllocationPlan) -> dict[str, list[str]]:
    """Write a plan as ``{member: ["t0", "t1"]}``."""
    written: dict[str, list[str]] = {}
    for queue in sorted(plan.owners):
        written.setdefault(plan.owners[queue], []).append(f"{queue.topic}{queue.id}")
    return written
