"""RANGE and ROUND_ROBIN: Kafka's assignors.

RANGE cuts each topic into contiguous slices for its subscribers, in order, the first slices one
longer. Members keep their rank in every topic, so topics with equal numbers of queues and equal
subscribers are *co-partitioned*: queue i of each goes to one member, which can join them. The
price: the longer slices of all topics go to the first members, and a join moves nearly everything.
On sorted input this is RocketMQ's ``AVG`` by another name, and that is how it is made. The result
is the same as that of Kafka 4's server-side ``RangeAssignor``.

ROUND_ROBIN deals the queues of all topics, one to each member in turn. The turn goes on from topic
to topic, so totals are even where RANGE favours the first members; a member that does not
subscribe a topic is passed over. Nothing is remembered: a join moves nearly everything. The result
is the same as that of Kafka's client-side ``RoundRobinAssignor``.

The order of members is Kafka's for both: static ones first, by their instance, so that a restart
keeps its place; then the others by id.
"""

from bisect import bisect_left
from collections.abc import Sequence

from allocators.java_order import in_order, ranked
from allocators.rocketmq.averagely import AVERAGELY
from allocators.rocketmq.contract import Strategy
from allocators.rocketmq.per_topic import per_topic
from rebalance.allocation import NOBODY_SUBSCRIBES, AllocationPlan, AllocationRequest, Candidates
from rebalance.ids import MemberId, Queue, java_order


def _static_first(people: Candidates) -> Sequence[MemberId]:
    def place(name: MemberId) -> tuple[bool, bytes, bytes]:
        instance = people[name].instance
        return not instance, java_order(instance or ""), java_order(name)

    return sorted(people, key=place)


ranges = per_topic(Strategy("RANGE", AVERAGELY.deal), _static_first)


def round_robin(request: AllocationRequest) -> AllocationPlan:
    """Deal everything in one round after another."""
    members = _static_first(request.candidates)
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
