"""Dismissals: members that operators have commanded to drain, over the ends of their lives.

A drain is meant for a process. A session that is over, or a queue that was let go too late, has the
same process begin a new life, which must not have queues again for that. And a controller that has
lost its checkpoint may find a member whose join the log has forgotten, and the command, which is
kept for longer, in its past.

Asked by ``admission`` with each new life, and called by ``adoption``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rebalance.groups.model.commands import DrainMember, UndrainMember
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Adopted, Commanded, Joined, Moment
from rebalance.ids import began


def holds(draft: Draft, event: Joined) -> bool:
    """Tell whether a new life is of a process that was commanded to drain."""
    return any(event.comes_back_from(it.incarnation) for it in draft.rules.drained.like(event.life))


def hold_again(draft: Draft, records: Iterable[Adopted], past: Sequence[Moment]) -> None:
    """Make those drain that were commanded to, and whose joins are not known any more.

    The command may have been refused, which nobody knows by now. So it counts for those that have
    nothing.
    """
    commanded = {
        it.command.member: it
        for it in past
        if isinstance(it, Commanded) and isinstance(it.command, DrainMember | UndrainMember)
    }
    for record in records if commanded else ():
        member, last = draft.membership.members.get(record.member), commanded.get(record.member)
        if member is None or last is None or not isinstance(last.command, DrainMember):
            continue
        is_for_it = 0 < began(record.incarnation) <= last.stamp.appended
        if member.presumed and is_for_it and not record.portion.hold:
            draft.rules.drained.add(record.life, draft.policy.max_members)
            told = replace(member, draining=True, dismissed=True, leaves=member.draining)
            draft.membership.members.put(record.member, told)
