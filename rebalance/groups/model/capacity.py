"""Capacity: no member gets more queues than it says that it can take.

STICKY respects capacities by itself and finds other members. The strategies of RocketMQ and Kafka
do not know them, and their answers are to stay theirs. So what any of them gives a member beyond
its capacity goes to no member, and the reason is published (fault C17).

Called by ``target`` with each plan. A member keeps first what it was to have before.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from rebalance.allocation import AllocationPlan
from rebalance.ids import MemberId, Queue

FULL: Final = "its member is at its capacity"
"""Why a queue has no owner."""


def limited(
    plan: AllocationPlan, capacities: Mapping[MemberId, int], before: Mapping[Queue, MemberId]
) -> AllocationPlan:
    """Return the plan without what is too much; nearly always it is the plan itself."""
    if not capacities or plan.heeds_capacity:
        return plan
    meant: dict[MemberId, list[Queue]] = defaultdict(list)
    for queue, owner in plan.owners.items():
        if owner in capacities:
            meant[owner].append(queue)
    excess: dict[Queue, str] = {}
    for name, queues in meant.items():
        if len(queues) > capacities[name]:
            ranked = sorted((before.get(queue) != name, queue) for queue in queues)
            excess |= {queue: FULL for _, queue in ranked[capacities[name] :]}
    if not excess:
        return plan
    owners = {queue: owner for queue, owner in plan.owners.items() if queue not in excess}
    return AllocationPlan(owners, {**plan.unassigned, **excess}, refusal=plan.refusal)
