"""ROUND_ROBIN: all queues of all topics, one to each member in turn, Kafka's round robin.

The turn goes on from topic to topic, so totals are even where ``RANGE`` favours the first
members; whoever does not subscribe a topic is passed over. Nothing is remembered: a join moves
nearly everything.

Its one rule: the same result as Kafka's client-side ``RoundRobinAssignor`` for members in order.
"""

from bisect import bisect_left

from allocators.ordering import in_order, ranked
from allocators.per_topic import NOBODY_SUBSCRIBES
from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.ids import MemberId, Queue


def round_robin(request: AllocationRequest) -> AllocationPlan:
    """Deal everything in one round after another."""
    members = ranked(request.candidates)
    owners: dict[Queue, MemberId] = {}
    unassigned: dict[Queue, str] = {}
    turn = 0
    for topic in ranked(request.queues):
        queues = in_order(request.queues[topic])
        subscribers = [
            place
            for place, member in enumerate(members)
            if topic in request.candidates[member].topics
        ]
        if not subscribers:
            unassigned |= dict.fromkeys(queues, NOBODY_SUBSCRIBES)
            continue
        for queue in queues:
            next_one = bisect_left(subscribers, turn % len(members)) % len(subscribers)
            turn = subscribers[next_one] + 1
            owners[queue] = members[subscribers[next_one]]
    return AllocationPlan(owners, unassigned)
