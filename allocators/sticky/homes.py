"""Queues that stick to a rack.

A queue may have a rack of its own: where its broker stands, or its state store. Then it goes to
the members of that rack as long as one of them subscribes it, and to everybody who does when none
is there: a rack that is empty leaves nothing behind. (RocketMQ's ``MACHINE_ROOM_NEARBY`` has the
same meaning, but deals every room anew.) The members' caps count as ever: a rack that is full does
not overflow into the others.

So the queues of a topic in one rack are a topic of their own, which only the rack's members
subscribe, and nothing else has to be known of racks: the loads are the fairest and the moves the
fewest that this allows. Made by the registry around ``sticky`` or ``weighted``. Its one rule: a
queue crosses racks only when its own has nobody for it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from allocators.sticky.labels import Labels
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator, Applicant, Candidate
from rebalance.ids import Queue, TopicName

ANYWHERE = ""
"""The rack of a queue that has none, and of a member that names none."""


@dataclass(frozen=True, slots=True)
class Racks:
    """Which rack each queue stands in: its own word, its topic's, or its broker's."""

    queues: Labels[str]
    brokers: Mapping[str, str]

    def of(self, queue: Queue) -> str:
        """Return the queue's rack."""
        return self.queues.of(queue) or self.brokers.get(queue.broker, ANYWHERE)


def at_home(racks: Racks, inner: Allocator) -> Allocator:
    """Let ``inner`` deal what each rack's members may have."""

    def allocate(request: AllocationRequest) -> AllocationPlan:
        people = request.candidates.values()
        shelves = {
            topic: _by_rack(queues, racks, _inhabited(topic, people))
            for topic, queues in request.queues.items()
        }
        queues = {
            _name(topic, rack): tuple(queues)
            for topic, shelf in shelves.items()
            for rack, queues in shelf.items()
        }
        candidates = {name: _within_reach(one, shelves) for name, one in request.candidates.items()}
        return inner(AllocationRequest(candidates, queues, request.current))

    return allocate


def _inhabited(topic: TopicName, people: Iterable[Candidate]) -> frozenset[str]:
    return frozenset(one.rack for one in people if topic in one.topics)


def _by_rack(
    queues: tuple[Queue, ...], racks: Racks, inhabited: frozenset[str]
) -> dict[str, list[Queue]]:
    shelf: dict[str, list[Queue]] = {}
    for queue in queues:
        rack = racks.of(queue)
        shelf.setdefault(rack if rack in inhabited else ANYWHERE, []).append(queue)
    return shelf


def _within_reach(one: Candidate, shelves: Mapping[TopicName, Mapping[str, object]]) -> Candidate:
    """Return a candidate that asks for what there is in its rack, and for what has no rack."""
    reachable = frozenset(
        _name(topic, rack)
        for topic in one.topics
        for rack in {one.rack, ANYWHERE}
        if rack in shelves.get(topic, ())
    )
    return Applicant(reachable, one.weight, one.capacity, one.rack, one.instance)


def _name(topic: TopicName, rack: str) -> TopicName:
    return TopicName(json.dumps([topic, rack]))  # no two pairs are written alike
