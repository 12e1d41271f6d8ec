"""Last workers: whether a member may be stopped by command, or its queues would have no worker.

In a pause no target is made, so only those go on that a standing heir was promised.

A rack is stopped by one command for each of its members, all in one batch. To look at everybody for
each of them would stop the controller for minutes in a large group. So a few members are looked for
that work on all that the leaving one does, and together have room for all of its queues. While they
stay, nothing else has to be counted.

Asked by ``obeying``. The answer is the same as if all were counted each time.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from rebalance.groups import target
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Member
from rebalance.groups.model.ownership import Ownership
from rebalance.groups.model.subscriptions import (
    Wish,
    known,
    popped_by,
    subscribed,
    topics_of,
    wish_of,
)
from rebalance.ids import MemberId, Queue, TopicName
from rebalance.owners import Owners

_HEIRLESS: Final = "its queues without a standing heir"


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    names: list[MemberId] | None = None
    """Who was a member when this was asked first."""
    rest: dict[Wish, Iterator[MemberId]] = field(default_factory=dict)
    """By what a leaving member asks for, those that have not been looked at yet."""
    relief: dict[Wish, list[MemberId]] = field(default_factory=dict)
    """Who together could have all that such a member has."""
    owners: Owners | None = None
    """The target's, of which ``owned`` says how many queues of some topics have one."""
    owned: dict[frozenset[TopicName], int] = field(default_factory=dict)


def why_not(draft: Draft, name: MemberId, leaving: Member) -> str:
    """Return what forbids to stop a member; empty: nothing does."""
    there = known(draft.topics.routes.merged())
    mine = topics_of(leaving, there)
    owned = _owned(draft, mine)
    if _is_relieved(draft, name, wish_of(leaving), mine, there, owned):
        return ""
    others = [
        wish_of(member)
        for other, member in draft.membership.members.merged().items()
        if other != name and not (member.draining or member.away)
    ]
    last = sorted((mine & there) - subscribed(others, there))
    if last:
        return f"no other member works on {', '.join(last[:3])}"
    if (room := _room(draft, name, mine)) < owned:
        return f"the others have room for {room} of {owned} queues"
    return ""


def why_not_evicted(draft: Draft, name: MemberId) -> str:
    """Return what forbids to evict a member in a pause; one that is silent does no work anyway."""
    if draft.membership.suspected.get(name) is not None or not (count := _waiting(draft, name)):
        return ""
    return f"{_HEIRLESS} ({count}) would have no worker until `groups resume`"


def remark(draft: Draft, name: MemberId) -> str:
    """Say what of a member that was stopped goes to nobody before a pause ends."""
    count = _waiting(draft, name)
    return f"{_HEIRLESS} ({count}) wait for `groups resume`" if count else ""


def _waiting(draft: Draft, name: MemberId) -> int:
    """Count the queues that nobody is ready to take over from a member while a pause lasts."""
    if not draft.rules.paused:
        return 0
    books = draft.handover.books
    return sum(_waits(draft, queue, books[queue], name) for queue in books.concerning({name}))


def _waits(draft: Draft, queue: Queue, page: Ownership, name: MemberId) -> bool:
    heir = page.heir
    if heir is not None and heir.member == name:  # is it about to begin? No other one may
        return page.moves or page.holder.life in draft.ended
    if page.holder.member != name or draft.target.owners.get(queue) != name:
        return False
    there = None if heir is None else draft.membership.members.get(heir.member)
    if heir is None or there is None or there.incarnation != heir.incarnation:
        return True
    return there.draining or there.away


def _owned(draft: Draft, mine: frozenset[TopicName]) -> int:
    """Count the queues of some topics that have an owner in the target."""
    step, owners = draft.scratch(_Step), draft.target.owners
    if owners is not step.owners:
        step.owners, step.owned = owners, {}
    if mine not in step.owned:
        step.owned[mine] = sum(queue.topic in mine for queue in owners)
    return step.owned[mine]


def _is_relieved(
    draft: Draft,
    leaving: MemberId,
    wish: Wish,
    mine: frozenset[TopicName],
    there: frozenset[TopicName],
    owned: int,
) -> bool:
    """Tell whether a few members are found that could have all of that."""
    step, members = draft.scratch(_Step), draft.membership.members

    def room_of(name: MemberId) -> float:
        member = members.get(name)
        if member is None or name == leaving or member.draining or member.away:
            return 0
        if not member.owns or member.resting_until is not None or popped_by(member):
            return 0
        if not mine or not topics_of(member, there) >= mine:
            return 0
        return math.inf if member.capacity is None else member.capacity

    if step.names is None:
        step.names = [name for name, _ in members.items()]
    rest = step.rest.setdefault(wish, iter(step.names))
    able = step.relief[wish] = [*filter(room_of, step.relief.get(wish, ()))]
    room = sum(map(room_of, able))
    while not able or room < owned:
        found = next(filter(room_of, rest), None)
        if found is None:
            return False
        able.append(found)
        room += room_of(found)
    return True


def _room(draft: Draft, leaving: MemberId, mine: Collection[TopicName]) -> float:
    """Return how many queues others may have that work on some of these topics: at most so many."""
    caps = [
        math.inf if one.capacity is None else one.capacity
        for name, one in target.candidates(draft).items()
        if name != leaving and not one.topics.isdisjoint(mine)
    ]
    return sum(caps)
