"""Realms: queues that a strategy keeps for some members.

A rack's, a room's, or those of the members that try a new version. Who looks for an heir has to
know of them, or a queue goes to somebody who has to give it back. So such a strategy can write its
question anew, in a form that needs no word for them: what only the same members may have is a topic
of its own, and each member subscribes what it may have. The queues keep their names.

Made by the strategies in ``allocators``; asked by ``groups.succession``. Its one rule: where one
member alone may have some queues, they are everybody's who subscribes them, since they will be when
it goes.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from rebalance.allocation import (
    AllocationPlan,
    AllocationRequest,
    Allocator,
    Applicant,
    Candidate,
    Candidates,
)
from rebalance.ids import MemberId, TopicName

Topics = frozenset[TopicName]


@dataclass(frozen=True, slots=True)
class Apart:
    """A strategy that keeps some queues for some members."""

    allocate: Allocator
    split: Callable[[AllocationRequest], AllocationRequest]
    """Makes a topic of each realm, and its members the only ones that subscribe it; what it calls
    realms is no topic's name."""

    def __call__(self, request: AllocationRequest) -> AllocationPlan:
        """Answer the request."""
        return self.allocate(request)

    def realms(self, request: AllocationRequest) -> AllocationRequest:
        """Return the question in which each realm is a topic."""
        split = self.split(request)
        common = _common(split)
        if not common:
            return split
        queues = {realm: those for realm, those in split.queues.items() if realm not in common}
        for realm, topic in common.items():
            queues[topic] = queues.get(topic, ()) + split.queues[realm]
        shut, opened = frozenset(common), frozenset(common.values())

        @cache
        def reach(realms: Topics, topics: Topics) -> Topics:
            return (realms - shut) | (topics & opened)

        candidates = wanting_each(
            request.candidates, lambda name, one: reach(split.candidates[name].topics, one.topics)
        )
        return AllocationRequest(candidates, queues)


def wanting_each(
    candidates: Candidates, topics: Callable[[MemberId, Candidate], Topics]
) -> dict[MemberId, Candidate]:
    """Return each candidate as one that subscribes other topics."""
    return {
        name: Applicant(topics(name, one), one.weight, one.capacity, one.rack, one.instance)
        for name, one in candidates.items()
    }


def _common(split: AllocationRequest) -> dict[TopicName, TopicName]:
    """Return the realms that have one member or none, and the topic of each."""
    people = Counter[TopicName]()
    for topics, count in Counter(one.topics for one in split.candidates.values()).items():
        people.update(dict.fromkeys(topics, count))
    shelves = split.queues.items()
    return {realm: those[0].topic for realm, those in shelves if those and people[realm] <= 1}
