"""A strategy of RocketMQ's as an allocator of the brain.

RocketMQ allocates each topic by itself, among the clients that subscribe it, with both lists
sorted (``RebalanceImpl.rebalanceByTopic``). Where a strategy would give a queue to several
clients (``CONFIG``), the first one in Java's order has it: here a queue has one owner.

What is left without an owner is given a reason.
"""

from collections.abc import Callable, Sequence

from allocators.java_order import in_order, ranked
from allocators.rocketmq.contract import Refused, Round, Strategy
from rebalance.allocation import (
    NOBODY_SUBSCRIBES,
    AllocationPlan,
    AllocationRequest,
    Allocator,
    Candidates,
)
from rebalance.ids import MemberId, Queue

Rank = Callable[[Candidates], Sequence[MemberId]]
"""Who comes first."""


def per_topic(strategy: Strategy, rank: Rank = ranked) -> Allocator:
    """Let ``strategy`` deal each topic's queues to its subscribers, in Java's order unless told."""

    def allocate(request: AllocationRequest) -> AllocationPlan:
        owners: dict[Queue, MemberId] = {}
        unassigned: dict[Queue, str] = {}
        everybody = rank(request.candidates)
        for topic, queues in request.queues.items():
            subscribers = [name for name in everybody if topic in request.candidates[name].topics]
            reason = NOBODY_SUBSCRIBES
            if subscribers:
                dealt = Round(strategy, in_order(queues), subscribers)
                reason = _give(owners, dealt, subscribers)
            unassigned |= {queue: reason for queue in queues if queue not in owners}
        return AllocationPlan(owners, unassigned)

    return allocate


def _give(owners: dict[Queue, MemberId], dealt: Round, subscribers: Sequence[MemberId]) -> str:
    """Book everybody's share; return the reason for what nobody got."""
    there = frozenset(dealt.queues or ())
    reason = "the strategy gives it to nobody"
    for member in subscribers:
        try:
            share = dealt.share(member) or ()
        except Refused as refused:
            reason = refused.message or reason
            continue
        for queue in share:
            if queue in there:
                owners.setdefault(queue, member)
    return reason
