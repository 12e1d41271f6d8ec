"""The roster: the members of a group, and indexes to find them.

In a group of 10,000 nearly all members are alike. A step that needs the few that rest, or all
different subscriptions, asks an index and does not look at every member.

``Roster`` is a part of the state; a step writes into a ``DraftedRoster`` (``draft``). Their one
rule: the same members give the same answers, however the indexes came about.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from rebalance.groups.model.cards import filed, refiled
from rebalance.groups.model.demand import Demand
from rebalance.groups.model.member import Member
from rebalance.groups.model.overlay import Overlay, apply
from rebalance.groups.model.subscriptions import Wish, popped_by, wish_of
from rebalance.ids import MemberId, TopicName


class Trait(StrEnum):
    """What makes a member unlike most others."""

    OWNS_NOTHING = "owns nothing"
    """It owns nothing of what it works on (``commons``)."""
    POPPING = "popping"
    """By a command it shares the queues of some topics, and owns what it has of others."""
    DRAINING = "draining"
    RESTING = "resting"
    PATTERNED = "patterned"
    LIMITED = "limited"
    """It says how many queues it can carry."""
    UNREADY = "unready"
    """It cannot begin by a release just now: nobody's standing heir (``succession``)."""


class Asking(NamedTuple):
    """What a member asks for, and whether to own it."""

    wish: Wish
    owns: bool
    pops: frozenset[TopicName]
    """What it shares of that, if it owns the rest."""


Cards = Mapping[Trait | Asking, frozenset[MemberId]]


class Roster(dict[MemberId, Member]):
    """All members. Never changed once a step has ended."""

    __slots__ = ("_cards",)

    def __init__(self, members: Mapping[MemberId, Member]) -> None:
        """Copy the list, without any card yet."""
        super().__init__(members)
        self._cards: Cards | None = None

    @property
    def cards(self) -> Cards:
        """Members by trait, and by what they ask for."""
        if self._cards is None:
            self._cards = filed(self, _headings)
        return self._cards

    def those(self, trait: Trait) -> frozenset[MemberId]:
        """Return the members with a trait."""
        return self.cards.get(trait, frozenset())

    @property
    def wishes(self) -> frozenset[Wish]:
        """What members ask for, each different wish once."""
        return frozenset(card.wish for card in self.cards if isinstance(card, Asking))

    @property
    def owners_wishes(self) -> frozenset[Wish]:
        """The same, for members that ask to own it."""
        asked = (card for card in self.cards if isinstance(card, Asking) and card.owns)
        return frozenset((card.wish[0] - card.pops, card.wish[1]) for card in asked)

    def rewritten(self, written: Mapping[MemberId, Member | None]) -> "Roster":
        """Return the roster with some entries written anew, or removed."""
        roster = Roster(self)
        apply(written, roster)
        if self._cards is not None:
            roster._cards = refiled(self._cards, self, written, _headings)
        return roster


def _headings(member: Member) -> Iterator[Trait | Asking]:
    popped, resting = popped_by(member), member.resting_until is not None
    yield Asking(wish_of(member), member.owns, popped)
    if not member.owns:
        yield Trait.OWNS_NOTHING
    if popped:
        yield Trait.POPPING
    if member.draining:
        yield Trait.DRAINING
    if resting:
        yield Trait.RESTING
    if member.capacity is not None:
        yield Trait.LIMITED
    if member.patterns:
        yield Trait.PATTERNED
    if member.awaits_mark or member.presumed or member.away or resting or _never_reads(member):
        yield Trait.UNREADY


def _never_reads(member: Member) -> bool:
    """Tell whether no release has it begin."""
    return member.eager or member.on_hold_alone


class DraftedRoster(Overlay[MemberId, Member]):
    """The roster of a step: the members as they were, and what was written since."""

    __slots__ = ("_agreed", "_demand", "_fresh", "_table", "before")

    def __init__(self, members: Mapping[MemberId, Member]) -> None:
        """Open the roster."""
        self.before = members if isinstance(members, Roster) else Roster(members)
        super().__init__(self.before)
        self._demand: Demand | None = None
        self._table: Counter[Wish] | None = None
        """The wishes of eager members, once ``agree`` has asked for them."""
        self._agreed: Wish | None = None
        """What all eager members want who are not in ``_fresh``, whatever is written of them."""
        self._fresh: set[MemberId] = set()

    @property
    def demand(self) -> Demand:
        """What is asked for just now."""
        if self._demand is None:
            counts = Counter[Wish]()
            for card, names in self.merged().cards.items():
                if isinstance(card, Asking):
                    counts[card.wish] += len(names)
            self._demand = Demand(counts)
        return self._demand

    @property
    def table(self) -> Counter[Wish]:
        """What eager members ask for, and how many of them."""
        if self._table is None:
            self._table = Counter(wish_of(it) for it in self.values() if it.eager)
        return self._table

    def agree(self, wish: Wish) -> bool:
        """Have all eager members want one thing; tell whether any of them did not.

        Writing it for each member would cost a batch of joins its square. So it is noted once, and
        written when all members are looked at.
        """
        others = {other: count for other, count in self.table.items() if other != wish}
        if not others:
            return False
        for other, count in others.items():
            del self.table[other]
            self.table[wish] += count
            if self._demand is not None:
                self._demand.take(other, count)
                self._demand.add(wish, count)
        self._agreed, self._copy = wish, None
        self._fresh.clear()
        return True

    def get(self, key: MemberId) -> Member | None:
        """Return a member as it is now."""
        member = super().get(key)
        return member if member is None else self._as_agreed(key, member)

    def __getitem__(self, key: MemberId) -> Member:
        """Return a member that must be there."""
        return self._as_agreed(key, super().__getitem__(key))

    def put(self, key: MemberId, value: Member) -> None:
        """Write a member."""
        if self._demand is not None or self._table is not None:
            self._count(self.get(key), value)
        if self._agreed is not None:
            self._fresh.add(key)
        super().put(key, value)

    def remove(self, key: MemberId) -> None:
        """Remove a member."""
        if self._demand is not None or self._table is not None:
            self._count(self.get(key), None)
        super().remove(key)

    def _count(self, was: Member | None, now: Member | None) -> None:
        if self._table is not None:
            if now is not None and now.eager:
                self._table[wish_of(now)] += 1
            if was is not None and was.eager:
                wish = wish_of(was)
                self._table[wish] -= 1
                if not self._table[wish]:
                    del self._table[wish]
        if self._demand is not None and not (was and now and wish_of(was) == wish_of(now)):
            if now is not None:
                self._demand.add(wish_of(now))
            if was is not None:
                self._demand.take(wish_of(was))

    def _as_agreed(self, name: MemberId, member: Member) -> Member:
        agreed = self._agreed
        if agreed is None or not member.eager or name in self._fresh:
            return member
        if wish_of(member) == agreed:
            return member
        return replace(member, topics=agreed[0], patterns=agreed[1])

    @property
    def written(self) -> Mapping[MemberId, Member | None]:
        """What was written since."""
        self._write_down()
        return super().written

    def merged(self) -> Roster:
        """Return the roster as it is now; the same one when nothing was written."""
        self._write_down()
        merged = super().merged()
        assert isinstance(merged, Roster), "a roster is rewritten as a roster"
        return merged

    def _write_down(self) -> None:
        """Write for each member what was agreed for all."""
        if self._agreed is None:
            return
        everybody = super().merged()
        known = [(name, it, self._as_agreed(name, it)) for name, it in everybody.items()]
        self._agreed = None
        self._fresh.clear()
        for name, was, now in known:
            if now is not was:
                super().put(name, now)

    def _rewritten(self) -> Roster:
        return self.before.rewritten(self._written)
