"""Unpublished: what a group has said, and what a start does not find published any more.

A topic may be deleted and made anew. The members work on by what they have read, so nobody would
notice; but whoever follows what is published finds nobody, and a later controller that has
forgotten would give their queues to others. So at each start it is compared with what the group
remembers, and what is missing is said again, once, as it stands. That a member's record is older
than the last one is not noticed.

Called by ``step``. Its one rule: it is said again, and nothing moves. Where nothing at all was
found there is nothing to compare with.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Adopted, Advanced, Moment, last_found
from rebalance.groups.model.state import GroupState
from rebalance.ids import MemberId


@dataclass(frozen=True, slots=True)
class Unpublished:
    """What is missing."""

    members: frozenset[MemberId]
    """Whose records are; nobody's, if only the summary is."""
    cause: Cause


def unpublished(before: GroupState, events: Sequence[Moment]) -> Unpublished | None:
    """Return what is missing of what a group remembers, if anything is.

    What its last step said need not be there: that batch may just have been repeated.
    """
    found = last_found(events)
    if not found or before.is_unknown:
        return None
    known = {it.life.on_the_wire for it in found if isinstance(it, Adopted)}
    fresh = before.outbox.unposted
    missing = frozenset(
        name
        for name, it in before.membership.members.items()
        if name not in fresh and it.life(name).on_the_wire not in known
    )
    if not missing and (fresh or any(isinstance(it, Advanced) for it in found)):
        return None
    what = f"records of {len(missing)} members were" if missing else "the summary was"
    detail = f"{what} not found published"
    cause = Cause(CauseKind.ADOPTION, before.name, found[-1].stamp.position, detail)
    return Unpublished(missing, cause)


def say_again(draft: Draft, missing: Unpublished) -> None:
    """Answer each member whose record is missing; the summary is said again in any case."""
    draft.outbox.answered.update(missing.members)
    draft.outbox.touched, draft.outbox.other_cause = True, missing.cause
