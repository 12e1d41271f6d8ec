"""CANARY: a share of every topic only for the members that try something new.

A new version of a program should see a known part of the traffic, all of it and no more
(RocketMQ's users asked for this in RIP-72). Members whose id begins with ``prefix`` are canaries:
they share the first ``percent`` of each topic's queues among themselves (at least one queue), and
all others share the rest. A topic that only one side subscribes is all theirs: with no
canary alive nothing is held back.

Which queues are reserved depends on nothing but the topic, so canaries that join others move none
of those queues between the sides. The first one takes queues away from the others, and the last
one gives them back; what that leaves uneven, the strategy that decides inside a side evens out.
Its one rule: a canary never has a queue that the others could have, nor the other way round.
"""

from dataclasses import replace
from functools import cache

from allocators.java_order import in_order
from allocators.options import BadOption
from rebalance.allocation import (
    AllocationPlan,
    AllocationRequest,
    Allocator,
    Candidates,
)
from rebalance.ids import Queue, TopicName
from rebalance.realms import Apart, wanting_each

Queues = dict[TopicName, tuple[Queue, ...]]

WHOLE = 100
"""Percent."""


def canary(prefix: str, percent: int, inner: Allocator) -> Apart:
    """Reserve ``percent`` of the queues for ids that begin with ``prefix``; ``inner`` decides."""
    if not 0 < percent < WHOLE:
        raise BadOption(f"percent must lie between 1 and {WHOLE - 1}")

    def sides(request: AllocationRequest) -> tuple[AllocationRequest, AllocationRequest]:
        candidates = request.candidates
        canaries = {name: one for name, one in candidates.items() if name.startswith(prefix)}
        others = {name: one for name, one in candidates.items() if name not in canaries}
        reserved, common = _split(request, canaries, others, percent)
        mine = replace(request, candidates=canaries, queues=reserved)
        return mine, replace(request, candidates=others, queues=common)

    def allocate(request: AllocationRequest) -> AllocationPlan:
        mine, theirs = map(inner, sides(request))
        return AllocationPlan(
            {**mine.owners, **theirs.owners}, {**mine.unassigned, **theirs.unassigned}
        )

    def split(request: AllocationRequest) -> AllocationRequest:
        mine, theirs = sides(request)
        if isinstance(inner, Apart):
            mine, theirs = inner.realms(mine), inner.realms(theirs)
        return _together(_named("canaries", mine), _named("others", theirs))

    return Apart(allocate, split)


def _named(side: str, request: AllocationRequest) -> AllocationRequest:
    """Write the name of a side before each topic."""
    names = {topic: TopicName(f"{side} {topic}") for topic in request.queues}

    @cache
    def reach(topics: frozenset[TopicName]) -> frozenset[TopicName]:
        return frozenset(names[it] for it in topics if it in names)

    candidates = wanting_each(request.candidates, lambda _, one: reach(one.topics))
    queues = {names[topic]: shelf for topic, shelf in request.queues.items()}
    return AllocationRequest(candidates, queues)


def _together(one: AllocationRequest, other: AllocationRequest) -> AllocationRequest:
    candidates = {**one.candidates, **other.candidates}
    return AllocationRequest(candidates, {**one.queues, **other.queues})


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
