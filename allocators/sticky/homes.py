"""Queues that stick to a rack.

A queue may have a rack of its own: where its broker stands, or its state store; or several: those
in which Kafka has replicas of it. Then it goes to members there as long as one of them subscribes
it, and to everybody who does when none is there: a rack that is empty leaves nothing behind.
(RocketMQ's ``MACHINE_ROOM_NEARBY`` has the same meaning, but deals every room anew.) The members'
caps count as ever: a rack that is full does not overflow into the others.

So the queues of a topic in the same racks are a topic of their own, which only the members there
subscribe, and nothing else has to be known of racks: the loads are the fairest and the moves the
fewest that this allows. A topic is spread evenly only within each such part of it. Made by the
registry around ``sticky`` or ``weighted``. Its one rule: a queue leaves its racks only when they
have nobody for it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from allocators.sticky.labels import Labels
from rebalance.allocation import (
    AllocationPlan,
    AllocationRequest,
    Allocator,
    Candidate,
)
from rebalance.ids import Queue, TopicName
from rebalance.racks import by_queue
from rebalance.realms import Apart, wanting_each

ANYWHERE = ""
"""The rack of a queue that has none, and of a member that names none."""
NOWHERE: Final = frozenset[str]()
"""No rack."""
RACK_FULL: Final = "every subscriber in its racks is at its capacity"
"""Why a queue stays without an owner that has to stay where somebody is."""


@dataclass(frozen=True, slots=True)
class Racks:
    """Which racks each queue stands in: by its own word, its topic's, its broker's, or Kafka's."""

    queues: Labels[str]
    brokers: Mapping[str, str]
    kafkas: bool = False
    """Kafka's word counts where there is no other."""

    def of(self, queue: Queue, replicas: Mapping[int, frozenset[str]]) -> frozenset[str]:
        """Return the queue's racks."""
        said = self.queues.of(queue) or self.brokers.get(queue.broker, ANYWHERE)
        if said:
            return frozenset({said})
        return replicas.get(queue.id, NOWHERE) if self.kafkas and not queue.broker else NOWHERE


def at_home(racks: Racks, inner: Allocator) -> Apart:
    """Let ``inner`` deal what each rack's members may have."""

    def shelves_apart(request: AllocationRequest) -> AllocationRequest:
        inhabited = _inhabited(request.candidates.values())
        shelves = {
            topic: _by_racks(
                queues,
                racks,
                by_queue(request.racks.get(topic, ())),
                inhabited.get(topic, NOWHERE),
            )
            for topic, queues in request.queues.items()
        }
        queues = {
            _name(topic, those): tuple(queues)
            for topic, shelf in shelves.items()
            for those, queues in shelf.items()
        }

        @cache
        def reach(topics: frozenset[TopicName], rack: str) -> frozenset[TopicName]:
            return _reach(topics, rack, shelves)

        candidates = wanting_each(request.candidates, lambda _, one: reach(one.topics, one.rack))
        return AllocationRequest(candidates, queues, request.current)

    def allocate(request: AllocationRequest) -> AllocationPlan:
        apart = shelves_apart(request)
        plan = inner(apart)
        if not plan.unassigned:
            return plan
        names = (_name(topic, NOWHERE) for topic in request.queues)
        free = {queue for name in names for queue in apart.queues.get(name, ())}
        reasons = {
            queue: why if queue in free else RACK_FULL for queue, why in plan.unassigned.items()
        }
        return replace(plan, unassigned=reasons)

    return Apart(allocate, shelves_apart)


def _inhabited(people: Iterable[Candidate]) -> Mapping[TopicName, frozenset[str]]:
    """Return the racks in which somebody subscribes each topic."""
    found: dict[TopicName, set[str]] = {}
    for topics, rack in {(one.topics, one.rack) for one in people}:
        for topic in topics:
            found.setdefault(topic, set()).add(rack)
    return {topic: frozenset(racks) for topic, racks in found.items()}


def _by_racks(
    queues: tuple[Queue, ...],
    racks: Racks,
    replicas: Mapping[int, frozenset[str]],
    inhabited: frozenset[str],
) -> Mapping[frozenset[str], list[Queue]]:
    shelf: dict[frozenset[str], list[Queue]] = {}
    for queue in queues:
        shelf.setdefault(racks.of(queue, replicas) & inhabited, []).append(queue)
    return shelf


def _reach(
    topics: frozenset[TopicName],
    rack: str,
    shelves: Mapping[TopicName, Mapping[frozenset[str], object]],
) -> frozenset[TopicName]:
    """Return what one may ask for: what there is in its rack, and what has none with anybody."""
    return frozenset(
        _name(topic, those)
        for topic in topics
        for those in shelves.get(topic, ())
        if rack in those or not those
    )


def _name(topic: TopicName, racks: frozenset[str]) -> TopicName:
    return TopicName(json.dumps([topic, *(sorted(racks) or [ANYWHERE])]))  # no two are alike
