"""Omissions: what was published of a group, and not found at a start.

Each record of an adoption says how many there are for its group. If some never come, a life that
they are about is not known. It may work on a queue that no page names, or begin on a release that
is still to come. So no queue is promised to any member while such a life may work. At each of its
beats it is told that the group does not know it. Once no such life was heard for as long as a
member may be silent and live, none works any more, and the group goes on as usual.

Called by ``adoption``, which finds what is missing, by ``membership``, which hears who is not
known, and by those who wait: ``step``, ``timers``, ``admission``, ``target`` and ``remains``. Its
one rule: what may have been promised is not promised again. No new member is let in before either:
a life that joins may be one that was not found.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from rebalance.groups.handover.pages import RecordedGrant, RecordedGrants
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Adopted, Advanced, Found, Joined, Mode, Moment, last_found
from rebalance.groups.model.state import Ailment, GroupState
from rebalance.ids import Epoch, MemberId, Millis

REASON: Final = (
    "some published records were not found at the start: no queue moves until every member that "
    "was not found has joined again or must have stopped. This ends by itself"
)
"""What is said of the group meanwhile."""
LEAP: Final = Epoch(1_000_000)
"""So far above what was found epochs go on where the group's own was not found. It draws one a
batch at most: no member has gone without a record for as many. Nor have as many lives handed a
queue on, each under an epoch of its own, before a release of theirs is read (``endings``)."""


def counts(found: Sequence[Found]) -> tuple[int, int]:
    """Return of how many lives, with the group itself, something was found, and of how many not."""
    told = {it.life if isinstance(it, Adopted) else None for it in found}
    return len(told), max([0, *(one.of - len(told) for one in found)])


def is_cut(moments: Sequence[Moment]) -> bool:
    """Tell whether a part of what a starting controller found published has not been read."""
    return counts(last_found(moments))[1] > 0


def reached(found: Sequence[Found]) -> Epoch:
    """Return an epoch that is not below any that was published."""
    known = any(isinstance(one, Advanced) for one in found)
    highest = max(one.epoch for one in found)
    return highest if known or not counts(found)[1] else Epoch(highest + LEAP)


def take_for_holders(claims: RecordedGrants, found: AbstractSet[MemberId]) -> None:
    """Take those that were not found, and that an heir waits for, as holders.

    Whom such a holder was told to name is not known; it is taken to be the latest heir.
    """
    for those in claims.values():
        for claim in list(those):
            if claim.source is not None and claim.source.life.member not in found:
                life, epoch = claim.source
                those.append(RecordedGrant(epoch, Epoch(0), life, named=claim.epoch))


def withhold(draft: Draft, heard: Millis) -> None:
    """Promise no queue until members that may have been heard until now must have stopped.

    It stops for its silence or by its revocation deadline, whatever timeouts it was told.
    """
    policies = draft.policy, draft.general
    session = max(it.silence_ms(it.session_timeout_ms_max) for it in policies)
    until = Millis(heard + session + max(it.revocation_timeout_ms_max for it in policies))
    known = draft.ailment.withheld_until if draft.ailment is not None else None
    draft.ailment = Ailment(REASON, withheld_until=until if known is None else max(known, until))
    draft.expect_by(until)


def withholds(group: Draft | GroupState) -> bool:
    """Tell whether no queue may be promised yet."""
    return group.ailment is not None and group.ailment.withheld_until is not None


def prolong(draft: Draft, heard: Millis) -> None:
    """Wait for a life that is not known, and that has just been heard."""
    if withholds(draft):
        withhold(draft, heard)


def bars(draft: Draft, event: Joined) -> bool:
    """Tell whether a life that joins may be one that was not found, and believe in its queues.

    Then it comes again as another life, and a newcomer asks again. A member that owns nothing may
    come at once, and so may one that works on nothing but what its last record says.
    """
    return withholds(draft) and event.mode is Mode.CLUSTERING and not event.eager


def fence(draft: Draft) -> None:
    """Take back what pages have of lives that are not in the group: they must have stopped."""
    for owned in draft.handover.books.merged().values():
        for grant in owned.grants:
            member = draft.membership.members.get(grant.member)
            if member is None or member.incarnation != grant.incarnation:
                draft.ended[grant.life] = Ending.FENCED
