"""A strategy of RocketMQ's as an allocator of the brain.

RocketMQ allocates each topic by itself, among the clients that subscribe it, with both lists
sorted (``RebalanceImpl.rebalanceByTopic``). Where a strategy would give a queue to several
clients (``CONFIG``), the first one in Java's order has it: here a queue has one owner.

Whoever is refused an answer keeps what it has of the topic, as a client does in Java when its
strategy throws. What is left without an owner is given a reason.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from allocators.java_order import in_order, ranked
from allocators.rocketmq.contract import Refused, Round, Strategy
from rebalance.allocation import (
    NOBODY_SUBSCRIBES,
    TO_NOBODY,
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
        refusals = set[str]()
        everybody = rank(request.candidates)
        for topic, queues in request.queues.items():
            subscribers = [name for name in everybody if topic in request.candidates[name].topics]
            reason = NOBODY_SUBSCRIBES
            if subscribers:
                refused = _give(owners, Round(strategy, in_order(queues), subscribers), subscribers)
                _leave(owners, queues, request.current, refused.keys())
                refusals.update(refused.values())
                reason = max(refused.values(), default=TO_NOBODY)
            unassigned |= {queue: reason for queue in queues if queue not in owners}
        return AllocationPlan(owners, unassigned, refusal=min(refusals, default=""))

    return allocate


def _give(
    owners: dict[Queue, MemberId], dealt: Round, subscribers: Sequence[MemberId]
) -> Mapping[MemberId, str]:
    """Book everybody's share; return who is refused one, and why."""
    there, refused = frozenset(dealt.queues or ()), dict[MemberId, str]()
    for member in subscribers:
        try:
            share = dealt.share(member) or ()
        except Refused as refusal:
            refused[member] = refusal.message or TO_NOBODY
            continue
        for queue in share:
            if queue in there:
                owners.setdefault(queue, member)
    return refused


def _leave(
    owners: dict[Queue, MemberId],
    queues: Iterable[Queue],
    current: Mapping[Queue, MemberId],
    refused: Collection[MemberId],
) -> None:
    """Leave those that were refused what they have, unless somebody else was given it."""
    for queue in queues if refused else ():
        owner = current.get(queue)
        if owner is not None and owner in refused:
            owners.setdefault(queue, owner)
