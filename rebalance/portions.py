"""Portions: what the books say to each member.

A member's record is not kept anywhere: it is read off the books. The holder of a queue that was
not asked to let go reads "hold", one that was asked reads "give"; an heir reads "inherit from the
holder", or "give" once it is withdrawn. So a record can never disagree with the books.

Called by ``conclusion``. Its one rule: equal books give equal portions, in one sorted order.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from rebalance.decisions import Inheritance, Portion
from rebalance.group import Ownership
from rebalance.ids import Epoch, MemberId, Queue

Shares = Mapping[MemberId, Portion]


@dataclass(slots=True)
class _Share:
    hold: list[tuple[Queue, Epoch]] = field(default_factory=list)
    give: list[tuple[Queue, Epoch]] = field(default_factory=list)
    inherit: list[Inheritance] = field(default_factory=list)

    def portion(self) -> Portion:
        self.hold.sort()
        self.give.sort()
        self.inherit.sort(key=lambda inheritance: inheritance.queue)
        return Portion(tuple(self.hold), tuple(self.give), tuple(self.inherit))


def portions(books: Iterable[tuple[Queue, Ownership]], wanted: AbstractSet[MemberId]) -> Shares:
    """Read the portions of the ``wanted`` members off the books."""
    shares = {member: _Share() for member in wanted}
    for queue, owned in books:
        holder, heir = owned.holder, owned.heir
        share = shares.get(holder.member)
        if share is not None:
            told = share.hold if holder.asked is None else share.give
            told.append((queue, holder.epoch))
        share = None if heir is None else shares.get(heir.member)
        if share is None or heir is None:
            continue
        if heir.asked is not None:
            share.give.append((queue, heir.epoch))
        else:
            share.inherit.append(
                Inheritance(queue, heir.epoch, holder.member, holder.incarnation, holder.epoch)
            )
    return {member: share.portion() for member, share in shares.items()}


def concerned(owned: Ownership) -> Iterable[MemberId]:
    """Return the members whose portions a page of the books touches."""
    if owned.heir is None:
        return (owned.holder.member,)
    return (owned.holder.member, owned.heir.member)
