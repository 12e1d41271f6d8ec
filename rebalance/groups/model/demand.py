"""Demand: the topics and patterns that the members of a group ask for, counted.

Each join asks whether there is room for its patterns, and each route whether any member wants its
topic. If each of them looked at all members or all topics, a batch would cost the square of its
length. So wishes are counted as they come and go, each different one once.

Kept by ``roster.DraftedRoster``; asked by ``admission``, ``routing``, ``remarks`` and
``rocketmq_clients``. A count that was kept up equals one that is made anew.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeVar

from rebalance.groups.model.subscriptions import Wish, stands_for
from rebalance.ids import Pattern, TopicName

K = TypeVar("K", bound=Hashable)


class Demand:
    """All wishes, and how many members have each."""

    __slots__ = ("_lost", "_named", "_patterns", "_wild", "_wishes")

    def __init__(self, wishes: Mapping[Wish, int]) -> None:
        """Count what is asked for at first."""
        self._wishes = Counter[Wish]()
        self._named, self._patterns = Counter[TopicName](), Counter[Pattern]()
        self._wild: frozenset[Pattern] | None = None
        self._lost: set[TopicName] | None = None
        for wish, members in wishes.items():
            self.add(wish, members)

    @property
    def patterns(self) -> frozenset[Pattern]:
        """Every pattern that a member has."""
        if self._wild is None:
            self._wild = frozenset(self._patterns)
        return self._wild

    @property
    def differs(self) -> bool:
        """Tell whether members ask for different things."""
        return len(self._wishes) > 1

    def names(self, topic: TopicName) -> bool:
        """Tell whether a member asks for a topic by name."""
        return topic in self._named

    def covers(self, topic: TopicName) -> bool:
        """Tell whether a member asks for a topic, if it exists."""
        return topic in self._named or stands_for(self.patterns, topic)

    def patterns_with(self, known: Wish | None, patterns: Collection[Pattern]) -> int:
        """Count the patterns that there would be if a member changed one wish for another."""
        given_up = 0
        if known is not None and self._wishes[known] == 1:
            kept = set(patterns)
            given_up = sum(1 for it in known[1] if self._patterns[it] == 1 and it not in kept)
        return len(self._patterns) - given_up + sum(1 for it in patterns if not self._patterns[it])

    def add(self, wish: Wish, members: int = 1) -> None:
        """Count a wish that so many more have."""
        if not self._wishes[wish]:
            _count(self._named, wish[0], 1)
            if wish[1]:
                _count(self._patterns, wish[1], 1)
                self._wild = None
        self._wishes[wish] += members

    def take(self, wish: Wish, members: int = 1) -> None:
        """Count a wish that so many fewer have."""
        self._wishes[wish] -= members
        if self._wishes[wish]:
            return
        del self._wishes[wish]
        gone = _count(self._named, wish[0], -1)
        if self._lost is not None:
            self._lost.update(gone)
        if _count(self._patterns, wish[1], -1):
            self._wild = self._lost = None

    def doubt(self, topic: TopicName) -> None:
        """Note that something was written of a topic."""
        if self._lost is not None:
            self._lost.add(topic)

    def doubted(self) -> set[TopicName] | None:
        """Return the topics that may be asked for no more, since the last call; None: any."""
        doubted, self._lost = self._lost, set()
        return doubted


def _count(counts: Counter[K], keys: Iterable[K], by: int) -> list[K]:
    """Count; return what no member asks for any more."""
    gone = []
    for key in keys:
        counts[key] += by
        if not counts[key]:
            del counts[key]
            gone.append(key)
    return gone
