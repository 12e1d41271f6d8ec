"""The route plan: which group must be told what about which topic.

It keeps three things: what each group asks for and knows (from its joins and its summaries), what
each topic is like (from Kafka or a file), and what was sent. If a group's brain does not know a
topic as it is, the route is announced under the next version, once, and again only if it seems to
be lost, or to have been read before the join that asks for it (``announcements``).

A group that asks by pattern is told of each topic that exists and matches, and then, like others,
of every topic that its summary names. A topic for which a group has no room is announced again when
there may be some.

It judges nothing: it announces a loss of queues at once and again, and the brain decides how long
it doubts it (``rebalance.groups.routing``).

Kept by ``routes``, which talks to Kafka. Time comes in as an argument.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from rebalance.groups.model.subscriptions import matched, stands_for
from rebalance.ids import Pattern, TopicName
from streaming.feeds.announcements import NEVER_LOOKED, Seen, Sent, pending, settled
from trimtab.protocol import Route, TopicSummary

HINT_LIFETIME_S: Final = 60.0
"""How long a join alone keeps a topic in the book. The summary that answers it takes over within
a second, unless the join was refused: then it is not needed."""

EMPTY_LIFETIME_S: Final = 3_600.0
"""How long a group without members is remembered: as long as its brain knows its routes, and
so their versions, if ``keep_empty`` is as it comes."""


class Announcement(NamedTuple):
    """A route to be told to a group."""

    group: str
    route: Route


@dataclass(slots=True)
class _Group:
    """What a group's brain knows, by its summary."""

    topics: Mapping[str, TopicSummary] = field(default_factory=dict)
    cut: bool = False
    """It knows more topics than its summary has room for."""
    active: bool = False
    """It has members; an empty group believes no routes."""
    patterns: frozenset[Pattern] = frozenset()
    hints: dict[str, float] = field(default_factory=dict)
    """Topics that joins ask for, and until when they are believed."""
    pattern_hints: dict[Pattern, float] = field(default_factory=dict)
    """The same of patterns."""
    asked: frozenset[Pattern] = frozenset()
    """All patterns together, as they were last matched."""
    matching: frozenset[TopicName] = frozenset()
    """The topics that exist and that they stand for."""
    sent: dict[str, Sent] = field(default_factory=dict)
    idle_since: float | None = None
    """Since when it has no members, and no join was read."""

    @property
    def idle(self) -> bool:
        """Whether the group is empty, as far as can be seen."""
        return not (self.active or self.hints or self.pattern_hints)

    def named(self) -> set[str]:
        """What it asks for itself, or knows."""
        return set(self.hints) | (set(self.topics) if self.active else set())

    def wanted(self) -> set[str]:
        return self.named() | self.matching

    def learn(self, topics: Mapping[str, TopicSummary], now: float, *, cut: bool) -> None:
        """Note which topics it knows; what it was told and does not show may be lost."""
        before, self.topics, self.cut = self.topics, topics, cut
        has_room = _extent(topics) < _extent(before)
        for topic, sent in self.sent.items():
            known = topics.get(topic)
            if known is None and cut:
                continue
            was_read = known is not None and known.version >= sent.version
            sent.asked = self.asks(topic) and (sent.asked or was_read)
            if known is None or not known.left_out:
                sent.answered(now)
            elif has_room:
                sent.hurry(now)

    def asks(self, topic: str) -> bool:
        """Whether its summary shows that it asks for a topic."""
        named = topic in self.topics
        return self.active and (named or stands_for(self.patterns, TopicName(topic)))

    def match(self, there: frozenset[TopicName]) -> None:
        """Work out what its patterns stand for, if they have changed."""
        asked = frozenset(self.pattern_hints) | (self.patterns if self.active else frozenset())
        if asked != self.asked:
            self.asked, self.matching = asked, matched(asked, there)


def _extent(topics: Mapping[str, TopicSummary]) -> int:
    return sum(topic.queues for topic in topics.values())


class RoutePlan:
    """What groups ask for and know, what topics are like, and what was sent."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}
        self._seen: dict[str, Seen] = {}
        """What each topic is like."""
        self._looked_up: set[str] = set()
        """What was asked about, whether or not anybody knew."""
        self._there: frozenset[TopicName] | None = None
        """Every topic that exists, as far as patterns may stand for it; None: not looked yet."""
        self._now = 0.0
        """The time that came in last."""

    def joined(
        self, group: str, topics: Iterable[str], now: float, patterns: Iterable[str] = ()
    ) -> None:
        """Note that a member asks for topics."""
        self._now = now
        entry = self._groups.setdefault(group, _Group())
        entry.hints |= dict.fromkeys(topics, now + HINT_LIFETIME_S)
        entry.pattern_hints |= dict.fromkeys(map(Pattern, patterns), now + HINT_LIFETIME_S)
        entry.match(self._there or frozenset())

    def summarised(
        self,
        group: str,
        topics: Mapping[str, TopicSummary],
        *,
        members: int,
        now: float | None = None,
        patterns: Iterable[str] = (),
        cut: bool = False,
    ) -> None:
        """Note what a group's brain knows; without a time, at the one that came in last."""
        entry = self._groups.setdefault(group, _Group())
        self._now = self._now if now is None else now
        entry.active = members > 0
        entry.patterns = frozenset(map(Pattern, patterns))
        entry.learn(topics, self._now, cut=cut)
        for topic in topics:
            entry.hints.pop(topic, None)
        for pattern in entry.patterns:
            entry.pattern_hints.pop(pattern, None)
        entry.match(self._there or frozenset())

    def saw(self, topic: str, seen: Seen) -> None:
        """Note what a topic is like."""
        self._seen[topic] = seen

    def listed(self, there: frozenset[TopicName]) -> None:
        """Note which topics exist; only new ones are compared with all patterns."""
        new = there - (self._there or frozenset())
        self._there = there
        for entry in self._groups.values():
            if entry.asked:
                entry.matching = (entry.matching & there) | matched(entry.asked, new)

    def asks_by_pattern(self) -> bool:
        """Tell whether a group asks by pattern."""
        return any(entry.asked for entry in self._groups.values())

    def unlisted(self) -> bool:
        """Tell whether a group asks by pattern and the list of topics was not read yet."""
        return self._there is None and self.asks_by_pattern()

    def wanted(self) -> set[str]:
        """Return the topics that a group asks for."""
        return set().union(*(entry.wanted() for entry in self._groups.values()))

    def unseen(self) -> set[str]:
        """Return the topics that a group asks for and that were not looked up yet."""
        return self.wanted() - self._seen.keys() - self._looked_up

    def looked_up(self, topics: Iterable[str]) -> None:
        """Note that topics were asked about. If nobody knew, they are again, with all others."""
        self._looked_up |= set(topics)

    @property
    def seen(self) -> Mapping[str, Seen]:
        """What each topic was like when it was seen last."""
        return self._seen

    def due(self, now: float) -> list[Announcement]:
        """Return what has to be announced, and book it as sent."""
        self._now = now
        self._tidy(now)
        return [
            Announcement(group, route)
            for group, entry in self._groups.items()
            for topic in sorted(entry.wanted() & self._seen.keys())
            if (route := self._route(entry, topic, now)) is not None
        ]

    def lost(self, announcement: Announcement, now: float) -> None:
        """Note that Kafka did not take an announcement."""
        group, route = announcement
        entry = self._groups.get(group)
        sent = None if entry is None else entry.sent.get(route.topic)
        if sent is not None and sent.version == route.version:
            sent.failed(now)

    def _route(self, entry: _Group, topic: str, now: float) -> Route | None:
        seen = self._seen[topic]
        if seen.runs is None and topic not in entry.named():
            return None  # gone before its group has heard of it
        known, sent = entry.topics.get(topic, NEVER_LOOKED), entry.sent.get(topic)
        if settled(seen, known, sent):
            return None
        version, asked = max(known.version, sent.version if sent else 0) + 1, entry.asks(topic)
        if sent is None or not sent.counts(seen, asked=asked):
            entry.sent[topic] = Sent(seen, version, now, asked=asked)
        elif pending(seen, known, sent, now):
            return None
        else:
            pace = None if known.left_out else sent.pace
            entry.sent[topic] = Sent(seen, version, now, sent.times + 1, pace, asked)
        return Route(
            topic=topic,
            version=version,
            exists=seen.runs is not None,
            generation=seen.generation,
            runs=seen.runs or (),
        )

    def _tidy(self, now: float) -> None:
        """Forget hints that were not confirmed, and topics that no group asks for any more."""
        for group, entry in list(self._groups.items()):
            entry.hints = {topic: end for topic, end in entry.hints.items() if end > now}
            entry.pattern_hints = {it: end for it, end in entry.pattern_hints.items() if end > now}
            entry.match(self._there or frozenset())
            if entry.matching or entry.asked:
                wanted = entry.wanted()
                entry.sent = {topic: sent for topic, sent in entry.sent.items() if topic in wanted}
            if not entry.idle:
                entry.idle_since = None
            elif entry.idle_since is None:
                entry.idle_since = now
            elif now - entry.idle_since >= EMPTY_LIFETIME_S:
                del self._groups[group]
        if not self.asks_by_pattern():
            self._there = None
        wanted = self.wanted()
        self._seen = {topic: seen for topic, seen in self._seen.items() if topic in wanted}
        self._looked_up &= wanted
