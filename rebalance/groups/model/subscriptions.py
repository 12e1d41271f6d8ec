"""Subscriptions: which topics a member asks for.

A member that names a topic may ask for one that does not exist yet, and waits for it. A pattern
stands for the topics that exist, so its meaning changes with the routes (``routing``): it is worked
out anew and never kept. Members are many and their subscriptions few, so each distinct one is
worked out once. Topics that begin with two underscores are Kafka's own and must be asked for by
name.

Asked by all modules that need to know who subscribes what, and by the route watcher. Its one rule:
no other module says what a pattern stands for.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final

from rebalance.allocation import Applicant, Candidate
from rebalance.groups.model import globs
from rebalance.groups.model.member import Member
from rebalance.groups.model.route import Route
from rebalance.ids import Pattern, TopicName

Wish = tuple[frozenset[TopicName], frozenset[Pattern]]
"""What a member asks for by name, and by pattern."""

RETRIES: Final = "%RETRY%"
"""What the names of topics begin with from which RocketMQ's groups take failed messages again."""
_INTERNAL: Final = "__"
"""What the names of Kafka's internal topics begin with."""
_KEPT: Final = 256
"""Sets of topics kept: of a cluster with 5,000 topics each takes half a megabyte, and a topic that
is created makes all of them anew."""


def known(routes: Mapping[TopicName, Route]) -> frozenset[TopicName]:
    """Return the topics that a pattern may stand for: those on the map that exist."""
    return frozenset(topic for topic, route in routes.items() if route.exists)


def wants(member: Member, topic: TopicName) -> bool:
    """Tell whether a member subscribes a topic, if it exists."""
    return topic in member.topics or stands_for(member.patterns, topic)


def topics_of(member: Member, known: frozenset[TopicName]) -> frozenset[TopicName]:
    """Return the topics that a member subscribes, known or not."""
    return _both(member.topics, member.patterns, known) if member.patterns else member.topics


def spelt_out(member: Member, known: frozenset[TopicName]) -> Candidate:
    """Return a member as a strategy may see it: without patterns, and without what it shares."""
    topics = topics_of(member, known) - popped_by(member)
    return Applicant(topics, member.weight, member.capacity, member.rack, member.instance)


def may_own(member: Member, topic: TopicName) -> bool:
    """Tell whether a member subscribes a topic, and asks to own its queues."""
    return wants(member, topic) and topic not in popped_by(member)


def popped_by(member: Member) -> frozenset[TopicName]:
    """Return the topics whose queues a member that owns others shares.

    One with patterns shares none: RocketMQ's clients have no patterns.
    """
    return frozenset() if member.patterns else member.topics & member.pops


def wish_of(member: Member) -> Wish:
    """Return what a member asks for."""
    return (member.topics, member.patterns)


def subscribed(wishes: Collection[Wish], known: frozenset[TopicName]) -> frozenset[TopicName]:
    """Return every topic that a member subscribes."""
    named = frozenset[TopicName]().union(*(topics for topics, _ in wishes))
    wild = patterns(wishes)
    return named | matched(wild, known) if wild else named


def patterns(wishes: Collection[Wish]) -> frozenset[Pattern]:
    """Return every pattern that a member has."""
    return frozenset[Pattern]().union(*(patterns for _, patterns in wishes))


@lru_cache(maxsize=_KEPT)
def matched(patterns: frozenset[Pattern], known: frozenset[TopicName]) -> frozenset[TopicName]:
    """Return those of the known topics that some pattern stands for."""
    return frozenset(topic for topic in known if stands_for(patterns, topic))


@lru_cache(maxsize=65_536)
def stands_for(patterns: frozenset[Pattern], topic: TopicName) -> bool:
    """Tell whether some pattern stands for a topic."""
    if topic.startswith(_INTERNAL):
        return False
    return any(globs.matches(pattern, topic) for pattern in patterns)


@lru_cache(maxsize=_KEPT)
def _both(
    named: frozenset[TopicName], patterns: frozenset[Pattern], known: frozenset[TopicName]
) -> frozenset[TopicName]:
    return named | matched(patterns, known)
