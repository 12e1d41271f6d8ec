"""Claims: queues that a member says it owns and was never granted.

The member may be wrong, or may not have heard yet that the queue moved. So a claim is refused only
when it is certainly false: the member has acted on the group's last decision; or it shows an epoch
that is not drawn yet, or one that another member has on that very queue. A claim above the epoch of
the queue's holder is never certainly false: a release that was not read yet may name the member,
under an epoch of its own. But if that release is lost, two may work on the queue. So such a member
is told anew what it has, and drops what it is not told of twice. In no case does the member get the
queue (faults C8, C9).

Called by ``endings`` with each beat that lists what its member owns. Its one rule: a claim changes
nothing; it is refused in the history, and the member is told again what it really has.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import ClaimRefused
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, Released
from rebalance.groups.model.ownership import Grant, Ownership
from rebalance.ids import Held, Life, MemberId, Tenure


@dataclass(slots=True)
class _Heard:
    """What this module keeps for one step. Later a beat is not of the group's last decision."""

    releases: dict[Life, int] = field(default_factory=dict)
    """The highest number of what each life has let go. Beats and releases go to two topics, so a
    beat may be stamped after a release that was written later."""


def hear(draft: Draft, event: Released) -> None:
    """Note the number of a release."""
    releases = draft.scratch(_Heard).releases
    releases[event.life] = max(event.sequence, releases.get(event.life, -1))


def granted(owned: Ownership | None, claim: Tenure) -> Grant | None:
    """Return the very grant that is claimed, if a page has it."""
    for grant in () if owned is None else owned.grants:
        if grant.tenure == claim:
            return grant
    return None


def judge(draft: Draft, event: BeatSeen, listed: Iterable[Held]) -> None:
    """Note and answer claims of what was never granted."""
    member = draft.membership.members.get(event.member)
    if member is None or member.incarnation != event.incarnation or not member.owns:
        return
    if event.sequence < draft.scratch(_Heard).releases.get(event.life, -1):
        return  # it may have let go since
    informed = event.epoch >= draft.before.epoch
    books = draft.handover.books
    unknown = [
        held
        for held in listed
        if granted(books.get(held.queue), Tenure(event.life, held.epoch)) is None
    ]
    doubtful = [held for held in unknown if _may_be_named(draft, held)]
    if doubtful and informed:
        draft.outbox.answered.add(event.member)
        draft.outbox.touched = True
    strange = tuple(
        held.queue
        for held in unknown
        if held not in doubtful and (informed or _is_impossible(draft, event.member, held))
    )
    if strange:
        draft.outbox.answered.add(event.member)
        cause = Cause(CauseKind.CLAIM, event.member, event.stamp.position)
        draft.outbox.notes.append(
            ClaimRefused(
                draft.before.name,
                event.life,
                strange,
                event.stamp.appended,
                cause,
            )
        )


def _may_be_named(draft: Draft, held: Held) -> bool:
    """Tell whether a release that was not read yet may name the member."""
    owned = draft.handover.books.get(held.queue)
    return owned is not None and held.epoch > owned.holder.epoch


def _is_impossible(draft: Draft, member: MemberId, held: Held) -> bool:
    """Tell whether a claim was false at all times: no two grants of a queue share an epoch."""
    if held.epoch > draft.before.epoch:
        return True
    if held.epoch == draft.membership.members[member].since:
        return False  # perhaps it worked in common: those are told the number of their joining
    owned = draft.handover.books.get(held.queue)
    grants = () if owned is None else owned.grants
    return any(grant.epoch == held.epoch and grant.member != member for grant in grants)
