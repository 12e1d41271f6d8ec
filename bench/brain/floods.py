"""Floods: batches of one kind of event, and what twice as many of them cost.

What is linear in a batch doubles with it. A batch may hold anything that anybody has written since
the last one, so nothing in it may cost more for each further event: whoever writes much would stop
everybody. Used by the bench and by its test. Its one rule: the events are made before anything is
timed, and what they ask for is within the limits of a group.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bench.brain.population import LIFE, STRATEGY, at
from rebalance.groups.conclusion import Step
from rebalance.groups.model.commands import DrainMember
from rebalance.groups.model.events import Commanded, Event, Joined, RouteObserved
from rebalance.groups.model.policy import Compat, Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import BrokerName, GroupName, Life, MemberId, Pattern, Queue, TopicName

POLICY: Final = Policy(max_members=100_000, max_queues=1_000_000, compat=Compat.ROCKETMQ)
_CHOSEN: Final = 200
"""Members that change their minds."""


def subscriptions(count: int) -> Sequence[Event]:
    """So many of RocketMQ's clients join, with one of two subscriptions, by turns."""
    return [_joined(it, topics=frozenset({_topic(it % 2)}), eager=True) for it in range(count)]


def patterns(count: int) -> Sequence[Event]:
    """In a group of so many, a few change their patterns so many times."""
    everybody = [_joined(it, topics=frozenset({_topic(0)})) for it in range(count)]
    return everybody + [
        _joined(it % _CHOSEN, sequence=it + 1, patterns=frozenset({Pattern(f"topic-{it}-*")}))
        for it in range(count)
    ]


def refused(count: int) -> Sequence[Event]:
    """So many members join, each with a pattern, and most find that the group has too many."""
    return [_joined(it, patterns=frozenset({Pattern(f"topic-{it}-*")})) for it in range(count)]


def routes(count: int) -> Sequence[Event]:
    """One member asks for so many topics, and is told of each."""
    topics = frozenset(map(_topic, range(count)))
    return [_joined(0, topics=topics), *map(_route, range(count))]


def matching(count: int) -> Sequence[Event]:
    """One member asks by pattern, and is told of so many topics."""
    return [_joined(0, patterns=frozenset({Pattern("topic-*")})), *map(_route, range(count))]


def newcomers(count: int) -> Sequence[Event]:
    """So many members join, each with a topic of its own, and each is told of it at once."""
    joins = (_joined(it, topics=frozenset({_topic(it)})) for it in range(count))
    return [event for it, join in enumerate(joins) for event in (join, _route(it))]


def changes(count: int) -> Sequence[Event]:
    """Members change to other topics so many times, and are told of each at once."""
    found: list[Event] = []
    for it in range(count):
        found.append(_joined(it % _CHOSEN, sequence=it + 1, topics=frozenset({_topic(it)})))
        found.append(_route(it))
    return found


def drains(count: int) -> Sequence[Event]:
    """Half of so many members are drained, as a rack is: by a command for each."""
    joins = [_joined(it, topics=frozenset({_topic(0)}), capacity=2) for it in range(count)]
    commands = (DrainMember(_name(it)) for it in range(count // 2))
    return [*joins, _route(0), *(Commanded(at(1), it.member, "ann", "", it) for it in commands)]


Flood = Callable[[int], Sequence[Event]]
"""Makes so many events."""
FLOODS: Final[Mapping[str, Flood]] = {
    it.__name__: it
    for it in (subscriptions, patterns, refused, routes, matching, newcomers, changes, drains)
}


def flooded(events: Sequence[Event]) -> Step:
    """Step an empty group through a flood."""
    return step(GroupState(GroupName("population")), events, at(1), POLICY, STRATEGY)


def _topic(number: int) -> TopicName:
    return TopicName(f"topic-{number}-")


def _route(number: int) -> Event:
    topic = _topic(number)
    return RouteObserved(at(1), topic, 1, exists=True, queues=(Queue(topic, BrokerName(""), 0),))


def _joined(
    number: int,
    *,
    sequence: int = 0,
    topics: frozenset[TopicName] = frozenset(),
    patterns: frozenset[Pattern] = frozenset(),
    eager: bool = False,
    capacity: int | None = None,
) -> Event:
    return Joined(
        at(1),
        Life(_name(number), LIFE),
        sequence,
        topics,
        patterns=patterns,
        eager=eager,
        capacity=capacity,
    )


def _name(number: int) -> MemberId:
    return MemberId(f"background-{number:05}")
