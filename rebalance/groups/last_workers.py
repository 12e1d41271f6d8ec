"""Last workers: whether a member may be stopped by command, or its queues would have no worker.

A rack is stopped by one command for each of its members, all in one batch. To look at everybody for
each of them would stop the controller for a minute in a large group. So one member is looked for
that works on all that the leaving one does, and has room for any number of queues. While it stays,
nothing else has to be counted.

Asked by ``obeying``. The answer is the same as if all were counted each time.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from rebalance.groups import target
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Member
from rebalance.groups.model.subscriptions import (
    Wish,
    known,
    popped_by,
    subscribed,
    topics_of,
    wish_of,
)
from rebalance.ids import MemberId, TopicName


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    names: list[MemberId] | None = None
    """Who was a member when this was asked first."""
    rest: dict[Wish, Iterator[MemberId]] = field(default_factory=dict)
    """By what a leaving member asks for, those that have not been looked at yet."""
    relief: dict[Wish, MemberId] = field(default_factory=dict)
    """Who could have all that such a member has."""


def why_not(draft: Draft, name: MemberId, leaving: Member) -> str:
    """Return what forbids to stop a member; empty: nothing does."""
    there = known(draft.topics.routes.merged())
    mine = topics_of(leaving, there)
    if _is_relieved(draft, name, wish_of(leaving), mine, there):
        return ""
    others = [
        wish_of(member)
        for other, member in draft.membership.members.merged().items()
        if other != name and not (member.draining or member.away)
    ]
    last = sorted((mine & there) - subscribed(others, there))
    if last:
        return f"no other member works on {', '.join(last[:3])}"
    owned = sum(queue.topic in mine for queue in draft.target.owners)
    if (room := _room(draft, name, mine)) < owned:
        return f"the others have room for {room} of {owned} queues"
    return ""


def _is_relieved(
    draft: Draft,
    leaving: MemberId,
    wish: Wish,
    mine: frozenset[TopicName],
    there: frozenset[TopicName],
) -> bool:
    """Tell whether some member could have all that the leaving one has."""
    step, members = draft.scratch(_Step), draft.membership.members

    def could(name: MemberId) -> bool:
        member = members.get(name)
        if member is None or name == leaving or member.draining or member.away:
            return False
        is_bounded = member.capacity is not None or member.resting_until is not None
        able = member.owns and not is_bounded and not popped_by(member)
        return able and topics_of(member, there) >= mine

    if (known_one := step.relief.get(wish)) is not None and could(known_one):
        return bool(mine)
    if step.names is None:
        step.names = [name for name, _ in members.items()]
    found = next(filter(could, step.rest.setdefault(wish, iter(step.names))), None)
    if found is not None:
        step.relief[wish] = found
    return found is not None and bool(mine)


def _room(draft: Draft, leaving: MemberId, mine: Collection[TopicName]) -> float:
    """Return how many queues others may have that work on some of these topics: at most so many."""
    caps = [
        math.inf if one.capacity is None else one.capacity
        for name, one in target.candidates(draft).items()
        if name != leaving and not one.topics.isdisjoint(mine)
    ]
    return sum(caps)
