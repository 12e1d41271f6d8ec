"""Claims: what a member says that it owns, and never got.

A guest who says that the coat on the next hook is his. He may be confused, or may not have heard
yet that it was handed out again; so he is contradicted only when it is certain: when he has acted
on the group's last decision, or when what he shows can never have been given to him, as with a
number that is not drawn yet, or one that another guest has on that very coat. He does not get it
in any case (faults C8, C9).

Called by ``handover`` with each beat that lists what its member owns. Its one rule: a claim changes
nothing; it is refused aloud and answered with what the member really has.
"""

from rebalance.causes import Cause, CauseKind
from rebalance.decisions import ClaimRefused
from rebalance.draft import Draft
from rebalance.events import Beaten
from rebalance.group import Grant, Ownership
from rebalance.ids import Epoch, Incarnation, MemberId, Queue

Claim = tuple[MemberId, Incarnation, Epoch]
"""What a member says it has: its name, its life, and under which epoch."""


def granted(owned: Ownership | None, claim: Claim) -> Grant | None:
    """Return the very grant that is claimed, if a page has it."""
    for grant in () if owned is None else owned.grants:
        if (grant.member, grant.incarnation, grant.epoch) == claim:
            return grant
    return None


def judge(draft: Draft, event: Beaten) -> None:
    """Note and answer claims of what was never granted."""
    member = draft.members.get(event.member)
    if member is None or member.incarnation != event.incarnation or not member.owns:
        return
    informed = event.epoch >= draft.before.epoch
    strange = tuple(
        queue
        for queue, epoch in event.owned or ()
        if (informed or _is_impossible(draft, event.member, queue, epoch))
        and granted(draft.ownership.get(queue), (event.member, event.incarnation, epoch)) is None
    )
    if strange:
        draft.answered.add(event.member)
        cause = Cause(CauseKind.CLAIM, event.member, event.stamp.position)
        draft.notes.append(
            ClaimRefused(
                draft.before.name,
                event.member,
                event.incarnation,
                strange,
                event.stamp.appended,
                cause,
            )
        )


def _is_impossible(draft: Draft, member: MemberId, queue: Queue, epoch: Epoch) -> bool:
    """Tell whether a claim was false at all times: no two grants of a queue share an epoch."""
    if epoch > draft.before.epoch:
        return True
    if epoch == draft.members[member].since:
        return False  # perhaps it worked in common: those are told the number of their joining
    owned = draft.ownership.get(queue)
    grants = () if owned is None else owned.grants
    return any(grant.epoch == epoch and grant.member != member for grant in grants)
