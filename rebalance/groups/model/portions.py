"""Portions: what the books say to each member.

A member's record is not kept anywhere: it is read off the books. The holder of a queue that was
not asked to let go reads "hold", one that was asked reads "give", both with the grant that comes
next; an heir reads "inherit from the holder". So a record can never disagree with the books.

Called by ``conclusion`` for the records, and by ``summary``, which only counts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rebalance.groups.model.books import Books, concerned
from rebalance.groups.model.events import Inheritance, Portion
from rebalance.groups.model.ownership import Ownership
from rebalance.ids import Life, MemberId, Naming, Queue

Shares = Mapping[MemberId, Portion]


@dataclass(slots=True)
class _Share:
    hold: list[Naming] = field(default_factory=list)
    give: list[Naming] = field(default_factory=list)
    inherit: list[Inheritance] = field(default_factory=list)

    def portion(self) -> Portion:
        self.hold.sort()
        self.give.sort()
        self.inherit.sort(key=lambda inheritance: inheritance.queue)
        return Portion(tuple(self.hold), tuple(self.give), tuple(self.inherit))


def portions(pages: Iterable[tuple[Queue, Ownership]], wanted: Iterable[Life]) -> Shares:
    """Read the portions of the ``wanted`` members off some pages.

    What another life of a member's name has is none of its business (``handover.strangers``).
    """
    shares = {life: _Share() for life in wanted}
    for queue, owned in pages:
        holder = owned.holder
        share = shares.get(holder.life)
        if share is not None and owned.ending is None:
            told = share.hold if owned.asked is None else share.give
            following = owned.heir
            to = None if following is None else following.life
            told.append(Naming(queue, holder.epoch, owned.named, to))
        for heir in owned.heirs:
            share = shares.get(heir.life)
            if share is not None:
                share.inherit.append(Inheritance(queue, heir.epoch, holder.tenure))
    return {life.member: share.portion() for life, share in shares.items()}


class Counts(NamedTuple):
    """How much a portion has of each."""

    hold: int = 0
    give: int = 0
    inherit: int = 0
    stand_by: int = 0
    """Queues that do not move, and that are promised to it."""


def counted(books: Books, wanted: Iterable[MemberId]) -> Mapping[MemberId, Counts]:
    """Count the portions of the ``wanted`` members: whatever does not move is held."""
    gives, inherits, moving = (Counter[MemberId]() for _ in range(3))
    for queue in books.moving:
        owned = books[queue]
        gives[owned.holder.member] += owned.ending is None
        inherits.update(heir.member for heir in owned.heirs)
        moving.update(concerned(owned))
    found = {
        name: Counts(
            len(books.cards.get(name, ())) - moving[name] - books.promised.get(name, 0),
            gives[name],
            inherits[name],
            books.promised.get(name, 0),
        )
        for name in wanted
    }
    assert all(counts.hold >= 0 for counts in found.values()), "nobody holds less than nothing"
    return found


def counted_alone(books: Books, life: Life) -> Counts:
    """Count the portion of a member whose name another life has queues under."""
    pages = ((queue, books[queue]) for queue in books.cards.get(life.member, ()))
    portion = portions(pages, [life])[life.member]
    moving = sum(line.queue in books.moving for line in portion.inherit)
    return Counts(len(portion.hold), len(portion.give), moving, len(portion.inherit) - moving)
