"""The route plan: which group must be told what about which topic.

It keeps three things: what each group asks for and knows (from its joins and its summaries), what
each topic is like (from Kafka or a file), and what was sent. If a group's brain does not know a
topic as it is, the route is announced under the next version, once, and again only if it seems to
be lost, or to have been read before the join that asks for it (``announcements``).

It judges nothing: it announces a loss of queues at once and again, and the brain decides how long
it doubts it (``rebalance.groups.routing``).

Kept by ``routes``, which talks to Kafka, and asks many times a second: so of many thousand groups
only those are looked at that something was heard of, whose topics have changed, or whose time has
come. Time comes in as an argument.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rebalance.groups.model.subscriptions import matched
from rebalance.ids import Pattern, TopicName
from streaming.feeds.announcements import Seen
from streaming.feeds.group_routes import GroupRoutes
from trimtab.protocol import Route, TopicSummary


class Announcement(NamedTuple):
    """A route to be told to a group."""

    group: str
    route: Route


class RoutePlan:
    """What groups ask for and know, what topics are like, and what was sent."""

    def __init__(self) -> None:
        self._groups: dict[str, GroupRoutes] = {}
        self._asking: dict[str, set[str]] = {}
        """What each group asks for, as it is counted."""
        self._wanted = Counter[str]()
        """How many groups ask for each topic."""
        self._unwanted = set[str]()
        """Topics that nobody asked for, when they were looked at last."""
        self._by_pattern = set[str]()
        """The groups that ask by pattern."""
        self._heard = set[str]()
        """The groups of which something was heard since the last look."""
        self._changed = set[str]()
        """The topics that have become different since then."""
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
        entry = self._groups.setdefault(group, GroupRoutes())
        entry.hint(topics, patterns, now)
        entry.match(self._there or frozenset())
        self._note(group, entry)

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
        entry = self._groups.setdefault(group, GroupRoutes())
        self._now = self._now if now is None else now
        entry.active = members > 0
        entry.patterns = frozenset(map(Pattern, patterns))
        entry.learn(topics, self._now, cut=cut)
        for topic in topics:
            entry.hints.pop(topic, None)
        for pattern in entry.patterns:
            entry.pattern_hints.pop(pattern, None)
        entry.match(self._there or frozenset())
        self._note(group, entry)

    def saw(self, topic: str, seen: Seen) -> None:
        """Note what a topic is like."""
        if self._seen.get(topic) != seen:
            self._seen[topic] = seen
            self._changed.add(topic)
        if not self._wanted[topic]:
            self._unwanted.add(topic)

    def listed(self, there: frozenset[TopicName]) -> None:
        """Note which topics exist; only new ones are compared with all patterns."""
        new = there - (self._there or frozenset())
        self._there = there
        for group in self._by_pattern:
            entry = self._groups[group]
            matching = (entry.matching & there) | matched(entry.asked, new)
            if matching != entry.matching:
                entry.matching = matching
                self._note(group, entry)

    def asks_by_pattern(self) -> bool:
        """Tell whether a group asks by pattern."""
        return bool(self._by_pattern)

    def unlisted(self) -> bool:
        """Tell whether a group asks by pattern and the list of topics was not read yet."""
        return self._there is None and self.asks_by_pattern()

    def wanted(self) -> set[str]:
        """Return the topics that a group asks for."""
        return set(self._wanted)

    def unseen(self) -> set[str]:
        """Return the topics that a group asks for and that were not looked up yet."""
        return self._wanted.keys() - self._seen.keys() - self._looked_up

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
        heard, self._heard, changed, self._changed = self._heard, set(), self._changed, set()
        awake = [
            group
            for group, entry in self._groups.items()
            if group in heard or entry.look_at <= now or not changed.isdisjoint(self._asking[group])
        ]
        for group in awake:
            self._tidy(group, now)
        if not self._by_pattern:
            self._there = None
        self._forget()
        known = [(it, entry) for it in awake if (entry := self._groups.get(it)) is not None]
        return [
            Announcement(it, route) for it, entry in known for route in entry.due(self._seen, now)
        ]

    def disputes(self) -> list[tuple[str, str]]:
        """Return which groups keep queues of a topic that nobody knows: what is new of that."""
        groups = self._groups.items()
        return [(group, topic) for group, entry in groups for topic in entry.disputes()]

    def lost(self, announcement: Announcement, now: float) -> None:
        """Note that Kafka did not take an announcement."""
        group, route = announcement
        entry = self._groups.get(group)
        sent = None if entry is None else entry.sent.get(route.topic)
        if entry is not None and sent is not None and sent.version == route.version:
            if route.racks is None:
                sent.failed(now)
            else:
                del entry.sent[route.topic]  # no summary shows that these are not known
            self._heard.add(group)

    def _note(self, group: str, entry: GroupRoutes) -> None:
        """Note that something was heard of a group."""
        self._heard.add(group)
        self._book(group, entry)

    def _book(self, group: str, entry: GroupRoutes) -> None:
        """Count what a group asks for."""
        self._count(group, entry.wanted())
        if entry.asked:
            self._by_pattern.add(group)
        else:
            self._by_pattern.discard(group)

    def _count(self, group: str, wanted: set[str]) -> None:
        before, self._asking[group] = self._asking.get(group, set()), wanted
        self._wanted.update(wanted - before)
        for topic in before - wanted:
            self._wanted[topic] -= 1
            if not self._wanted[topic]:
                del self._wanted[topic]
                self._unwanted.add(topic)

    def _tidy(self, group: str, now: float) -> None:
        """Have a group forget what is over, or forget it."""
        entry = self._groups[group]
        entry.tidy(self._there or frozenset(), now)
        if entry.is_over(now):
            self._count(group, set())
            self._by_pattern.discard(group)
            del self._groups[group], self._asking[group]
        else:
            self._book(group, entry)

    def _forget(self) -> None:
        """Forget the topics that no group asks for any more."""
        for topic in self._unwanted - self._wanted.keys():
            self._seen.pop(topic, None)
            self._looked_up.discard(topic)
        self._unwanted.clear()
