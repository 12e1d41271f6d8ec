"""Entitlement: what a member may be granted at all (I10), and how evenly (I9).

A queue goes only to a member that subscribes its topic, and no more queues to a member than it says
it can take. In a stable group of equals (same subscriptions and weights, no limits, no member
leaving, none whose wishes the controller has forgotten) a strategy that promises balance must keep
it: loads differ by one at most, over all queues or within each topic, as ``Balance`` says.

Called by ``checker``.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from audit.history import Grant, Issued, Joined, Life, Place
from audit.patterns import stand_for
from audit.violations import Invariant, Violation, queue_text


class Balance(StrEnum):
    """What a strategy promises of the loads of equals."""

    NOTHING = "nothing"
    IN_TOTAL = "in total"
    BY_TOPIC = "by topic"


@dataclass(slots=True)
class _Wishes:
    sequence: int
    topics: frozenset[str]
    weight: int
    capacity: int | None
    patterns: frozenset[str] = frozenset()
    granted: frozenset[Grant] = frozenset()
    """What its last assignment named: only what is new is judged."""
    load: tuple[Grant, ...] | None = None
    """What it holds; None before it was sent an assignment."""
    awaited: dict[Grant, Life] = field(default_factory=dict)
    """What its last assignment told it to inherit, and from whom."""
    given: frozenset[tuple[Grant, int | None]] = frozenset()
    """What its last assignment told it to give, and to which grant."""
    draining: bool = False
    common: bool = False
    """It owns nothing: what it works on is no load of its own."""
    unheard: bool = False
    """The controller has forgotten them and asked for them again."""

    def include(self, topic: str) -> bool:
        """Tell whether the topic is among them."""
        return topic in self.topics or stand_for(self.patterns, topic)


class Entitlement:
    """The wishes of one group's members."""

    def __init__(self, group: str, *, exact: bool) -> None:
        """Begin with no wishes.

        Args:
            group: Whose they are.
            exact: Whether entries come in the order in which the controller read them. If not, a
                changed subscription may be unread when the assignment is written, so both count.
        """
        self._group = group
        self._exact = exact
        self._wishes: dict[Life, _Wishes] = {}
        self._limited: list[tuple[Issued, bool, bool]] = []
        """What was said in this batch to members that can carry so much, whether something of it
        is new, and whether they have more by choice."""
        self.unjudged: set[Life] = set()
        """Those that were granted something and not seen to join: what they wish is unknown."""

    def joined(self, record: Joined) -> None:
        """Take a member's wishes."""
        known = self._wishes.get(record.life)
        if known is None:
            self._wishes[record.life] = _Wishes(
                record.sequence, record.topics, record.weight, record.capacity, record.patterns
            )
            self._wishes[record.life].common = record.broadcasting or record.sharing
        elif record.sequence >= known.sequence:
            known.sequence = record.sequence
            known.topics = record.topics if self._exact else known.topics | record.topics
            known.patterns = record.patterns if self._exact else known.patterns | record.patterns
            known.weight, known.capacity = record.weight, record.capacity
            known.common = record.broadcasting or record.sharing

    def drained(self, life: Life) -> None:
        """A member wants to go."""
        if life in self._wishes:
            self._wishes[life].draining = True

    def issued(self, record: Issued) -> Iterator[Violation]:
        """Judge what is new in a member's assignment."""
        wishes = self._wishes.get(record.life)
        meant = [*record.hold, *(Grant(row.queue, row.epoch) for row in record.inherit)]
        if wishes is None:
            self.unjudged.update([record.life] if meant else [])
            return
        wishes.unheard = record.unheard
        new = [row for row in meant if row not in wishes.granted]
        for queue, _ in new:
            if not wishes.include(queue[0]):
                detail = f"granted to {record.life.member}, which does not subscribe it"
                yield self._violation(queue_text(queue), detail, record.at)
        if self._exact and wishes.capacity is not None and not wishes.unheard:
            self._limited.append((record, bool(new), self._has_a_choice(record)))
        wishes.granted = frozenset(meant)
        wishes.awaited = {Grant(row.queue, row.epoch): row.source for row in record.inherit}
        heirs = record.heirs[len(record.hold) :]
        wishes.load, wishes.given = record.hold, frozenset(zip(record.give, heirs, strict=False))

    def settled(self) -> Iterator[Violation]:
        """Judge what was granted to members with a limit, once everybody's record has been said.

        Whom others give to may have changed in the same batch.
        """
        limited, self._limited = self._limited, []
        for record, new, chosen in limited:
            wishes = self._wishes.get(record.life)
            if wishes is None or wishes.capacity is None:
                continue
            held, capacity = len(record.hold), wishes.capacity
            load = held + self._coming(record)
            if new and load > capacity:
                detail = f"granted {load} queues and can carry {capacity}"
                yield self._violation(record.life.member, detail, record.at)
            elif chosen and held > capacity:
                detail = f"holds {held} queues and can carry {capacity}"
                yield self._violation(record.life.member, detail, record.at)

    def _has_a_choice(self, record: Issued) -> bool:
        """Tell whether the controller let a member have more than it had.

        Several members that go at once may each leave it what it stands by for.
        """
        wishes = self._wishes[record.life]
        gained = [it for it in record.hold if it not in (wishes.load or ())]
        sources = {wishes.awaited.get(it) for it in gained}
        return bool(gained) and (None in sources or len(sources) == 1)

    def _coming(self, record: Issued) -> int:
        """Count what is on its way to a member; what it only stands by for may never come."""
        sources = [(self._wishes.get(row.source), row) for row in record.inherit]
        return sum(
            known is not None and (Grant(row.queue, row.source_epoch), row.epoch) in known.given
            for known, row in sources
        )

    def ended(self, life: Life) -> None:
        """A life is over."""
        self._wishes.pop(life, None)

    def unbalanced(self, promise: Balance, apart: frozenset[str]) -> Iterator[Violation]:
        """Judge the loads of a group at rest, if those that take part in it are equals."""
        owners = [
            wishes
            for life, wishes in self._wishes.items()
            if wishes.load is not None and life.member not in apart and not wishes.common
        ]
        if promise is Balance.NOTHING or not owners or not _equals(owners):
            return
        topics = (
            [None]
            if promise is Balance.IN_TOTAL
            else sorted({grant.queue[0] for each in owners for grant in each.load or ()})
        )
        for topic in topics:
            loads = Counter(_load(wishes, topic) for wishes in owners)
            if max(loads) - min(loads) > 1:
                subject = topic or "all queues"
                detail = f"loads from {min(loads)} to {max(loads)} among equals"
                yield Violation(Invariant.BALANCED, self._group, subject, detail)

    def _violation(self, subject: str, detail: str, at: Place) -> Violation:
        return Violation(Invariant.ENTITLED, self._group, subject, detail, (at,))


def _equals(owners: list[_Wishes]) -> bool:
    faces = {(it.topics, it.patterns, it.weight, it.capacity, it.draining) for it in owners}
    known = not any(it.unheard for it in owners)
    return known and len(faces) == 1 and owners[0].capacity is None


def _load(wishes: _Wishes, topic: str | None) -> int:
    return sum(topic is None or grant.queue[0] == topic for grant in wishes.load or ())
