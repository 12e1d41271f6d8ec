"""CANARY: a share of every topic only for the members that try something new.

A new version of a program should see a known part of the traffic, all of it and no more
(RocketMQ's users asked for this in RIP-72). Members whose id begins with ``prefix`` are canaries:
they share the first ``percent`` of each topic's queues among themselves (at least one queue), and
all others share the rest. A topic that only one side subscribes is all theirs: with no
canary alive nothing is held back.

Which queues are reserved depends on nothing but the topic, so canaries come and go without the
others' queues moving to each other. Inside each side another strategy decides. Its one rule: a
canary never has a queue that the others could have, nor the other way round.
"""

from dataclasses import replace

from allocators.java_order import in_order
from allocators.options import BadOption
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator, Candidates
from rebalance.ids import Queue, TopicName

Queues = dict[TopicName, tuple[Queue, ...]]

WHOLE = 100
"""Percent."""


def canary(prefix: str, percent: int, inner: Allocator) -> Allocator:
    """Reserve ``percent`` of the queues for ids that begin with ``prefix``; ``inner`` decides."""
    if not 0 < percent < WHOLE:
        raise BadOption(f"percent must lie between 1 and {WHOLE - 1}")

    def allocate(request: AllocationRequest) -> AllocationPlan:
        candidates = request.candidates
        canaries = {name: one for name, one in candidates.items() if name.startswith(prefix)}
        others = {name: one for name, one in candidates.items() if name not in canaries}
        reserved, common = _split(request, canaries, others, percent)
        mine = inner(replace(request, candidates=canaries, queues=reserved))
        theirs = inner(replace(request, candidates=others, queues=common))
        return AllocationPlan(
            {**mine.owners, **theirs.owners}, {**mine.unassigned, **theirs.unassigned}
        )

    return allocate


def _split(
    request: AllocationRequest, canaries: Candidates, others: Candidates, percent: int
) -> tuple[Queues, Queues]:
    reserved: Queues = {}
    common: Queues = {}
    for topic, queues in request.queues.items():
        for_canaries = any(topic in one.topics for one in canaries.values())
        for_others = any(topic in one.topics for one in others.values())
        count = -(-len(queues) * percent // WHOLE) if for_others else len(queues)
        count = count if for_canaries else 0
        ordered = tuple(in_order(queues)) if 0 < count < len(queues) else queues
        reserved[topic], common[topic] = ordered[:count], ordered[count:]
    return reserved, common
