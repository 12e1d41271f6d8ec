"""What one group asks for, knows, and was told of routes; and which it is to be told now.

A group that asks by pattern is told of each topic that exists and matches, and then, like others,
of every topic that its summary names. A topic for which a group has no room is announced again when
there may be some.

Kept by ``route_plan``. Its one rule: as long as nothing is heard of a group, and its topics stay as
they are, there is nothing to tell it before ``look_at``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rebalance.groups.model.subscriptions import matched, stands_for
from rebalance.ids import Pattern, TopicName
from streaming.feeds.announcements import NEVER_LOOKED, Seen, Sent, patient_until, settled
from trimtab.protocol import Route, TopicSummary, limits

HINT_LIFETIME_S: Final = 60.0
"""How long a join alone keeps a topic in the book. The summary that answers it takes over within
a second, unless the join was refused: then it is not needed."""
HINTS: Final = limits.QUEUES_PER_RECORD
"""Topics that joins alone keep there for one group: it has no room for more queues, either. What is
beyond them is told once the group's summary asks for it."""
EMPTY_LIFETIME_S: Final = 3_600.0
"""How long a group without members is remembered: as long as its brain knows its routes, and
so their versions, if ``keep_empty`` is as it comes."""
_NEVER: Final = float("inf")


@dataclass(slots=True)
class GroupRoutes:
    """What a group's brain knows, by its summary; and what is on its way."""

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
    _disputed: dict[str, bool] = field(default_factory=dict)
    """Topics that it has queues of, not Kafka's, and that nobody knows who is asked: it keeps them.
    True: that was said."""
    idle_since: float | None = None
    """Since when it has no members, and no join was read."""
    look_at: float = 0.0
    """When time alone may have it told something, or forget something."""

    @property
    def idle(self) -> bool:
        """Whether the group is empty, as far as can be seen."""
        return not (self.active or self.hints or self.pattern_hints)

    def hint(self, topics: Iterable[str], patterns: Iterable[str], now: float) -> None:
        """Note what a join asks for, as far as there is room."""
        end = now + HINT_LIFETIME_S
        for topic in topics:
            if topic in self.hints or len(self.hints) < HINTS:
                self.hints[topic] = end
        for pattern in map(Pattern, patterns):
            known = pattern in self.pattern_hints
            if known or len(self.pattern_hints) < limits.PATTERNS_PER_GROUP:
                self.pattern_hints[pattern] = end

    def named(self) -> set[str]:
        """What it asks for itself, or knows."""
        return set(self.hints) | (set(self.topics) if self.active else set())

    def wanted(self) -> set[str]:
        """What it has to be told of, if it changes."""
        return self.named() | self.matching

    def is_over(self, now: float) -> bool:
        """Tell whether it may be forgotten."""
        return self.idle_since is not None and now - self.idle_since >= EMPTY_LIFETIME_S

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

    def tidy(self, there: frozenset[TopicName], now: float) -> None:
        """Forget hints that were not confirmed, and what it does not ask for any more."""
        self.hints = {topic: end for topic, end in self.hints.items() if end > now}
        self.pattern_hints = {it: end for it, end in self.pattern_hints.items() if end > now}
        self.match(there)
        if self.matching or self.asked:
            wanted = self.wanted()
            self.sent = {topic: sent for topic, sent in self.sent.items() if topic in wanted}
        if not self.idle:
            self.idle_since = None
        elif self.idle_since is None:
            self.idle_since = now

    def due(self, seen: Mapping[str, Seen], now: float) -> Iterator[Route]:
        """Yield what it has to be told, and take it for sent."""
        ends = [*self.hints.values(), *self.pattern_hints.values()]
        if self.idle_since is not None:
            ends.append(self.idle_since + EMPTY_LIFETIME_S)
        named = self.named()  # once: whoever joins may ask for very many
        about = (named | self.matching) & seen.keys()
        self._disputed = {it: said for it, said in self._disputed.items() if it in about}
        for topic in sorted(about):
            if seen[topic].runs is None and topic not in named:
                continue  # gone before its group has heard of it
            known = self.topics.get(topic, NEVER_LOOKED)
            if (route := self._route(topic, seen[topic], known, now)) is not None:
                yield route
            sent = self.sent.get(topic)
            if sent is not None and not settled(seen[topic], known, sent):
                ends.append(patient_until(seen[topic], known, sent))
        self.look_at = min(ends, default=_NEVER)

    def disputes(self) -> list[str]:
        """Return the topics whose queues it keeps though nobody knows them; each once."""
        new = [topic for topic, was_said in self._disputed.items() if not was_said]
        self._disputed.update(dict.fromkeys(new, True))
        return new

    def _route(self, topic: str, seen: Seen, known: TopicSummary, now: float) -> Route | None:
        sent = self.sent.get(topic)
        unseen = sent is None or sent.seen.by_hearsay
        if seen.by_hearsay and known.queues and known.generation is None and unseen:
            if seen.runs is None:
                self._disputed.setdefault(topic, False)
            return None
        self._disputed.pop(topic, None)
        if settled(seen, known, sent):
            return None
        version, asked = max(known.version, sent.version if sent else 0) + 1, self.asks(topic)
        if sent is None or not sent.counts(seen, asked=asked):
            self.sent[topic] = Sent(seen, version, now, asked=asked)
        elif now < patient_until(seen, known, sent):
            return None
        else:
            pace = None if known.left_out else sent.pace
            self.sent[topic] = Sent(seen, version, now, sent.times + 1, pace, asked)
        return Route(
            topic=topic,
            version=version,
            exists=seen.runs is not None,
            generation=seen.generation,
            runs=seen.runs or (),
            racks=seen.racks,
        )


def _extent(topics: Mapping[str, TopicSummary]) -> int:
    return sum(topic.queues for topic in topics.values())
