"""The roster: who is in the group; and where to look.

The list at the door, with a card index beside it: who asks for what, and who is in some way unlike
the others. In a group of 10,000 nearly all members are alike, and a step that has to know the few
who rest, or all the different subscriptions, looks at a card and not at everybody.

``Roster`` is a part of the state, ``Roll`` is how a step writes on it (``draft``). Their one rule:
the same members, the same answers, however the cards came about.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from rebalance.cards import filed, refiled
from rebalance.group import Member
from rebalance.ids import MemberId
from rebalance.overlay import Overlay, trace
from rebalance.subscriptions import Wish, wish_of


class Trait(StrEnum):
    """What makes a member unlike most others."""

    GUEST = "guest"
    """It owns nothing of what it works on (``commons``)."""
    DRAINING = "draining"
    RESTING = "resting"
    PATTERNED = "patterned"
    LIMITED = "limited"
    """It says how many queues it can carry."""


class Asking(NamedTuple):
    """What a member asks for, and whether to own it."""

    wish: Wish
    owns: bool


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
        """The same, of those who ask to own it."""
        asked = (card for card in self.cards if isinstance(card, Asking))
        return frozenset(card.wish for card in asked if card.owns)

    def rewritten(self, drawn: Mapping[MemberId, Member | None]) -> "Roster":
        """Return the roster with some entries written anew, or struck out."""
        roster = Roster(self)
        trace(drawn, roster)
        if self._cards is not None:
            roster._cards = refiled(self._cards, self, drawn, _headings)
        return roster


def _headings(member: Member) -> Iterator[Trait | Asking]:
    yield Asking(wish_of(member), member.owns)
    if not member.owns:
        yield Trait.GUEST
    if member.draining:
        yield Trait.DRAINING
    if member.resting_until is not None:
        yield Trait.RESTING
    if member.capacity is not None:
        yield Trait.LIMITED
    if member.patterns:
        yield Trait.PATTERNED


class Roll(Overlay[MemberId, Member]):
    """The roster of a step: the members as they were, and what was written since."""

    __slots__ = ("before",)

    def __init__(self, members: Mapping[MemberId, Member]) -> None:
        """Open the roster."""
        self.before = members if isinstance(members, Roster) else Roster(members)
        super().__init__(self.before)

    def merged(self) -> Roster:
        """Return the roster as it is now; the same one when nothing was written."""
        merged = super().merged()
        assert isinstance(merged, Roster), "a roster is rewritten as a roster"
        return merged

    def _rewritten(self) -> Roster:
        return self.before.rewritten(self.drawn)
