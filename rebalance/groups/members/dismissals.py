"""Dismissals: members that operators have commanded to drain, over the ends of their lives.

A drain is meant for a process. A session that is over, or a queue that was let go too late, has the
same process begin a new life, which must not have queues again for that. And a controller that has
lost its checkpoint may find a command in its past that was refused, or a member without either.

Asked by ``admission`` with each new life, and called by ``adoption``.
"""

from collections.abc import Collection, Iterable

from rebalance.groups.members import membership
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Adopted, Advanced, Found, Joined
from rebalance.ids import Incarnation, Millis, began


def holds(draft: Draft, event: Joined) -> bool:
    """Tell whether a new life is of a process that was commanded to drain."""
    return any(event.comes_back_from(it.incarnation) for it in draft.rules.drained.like(event.life))


def keep(draft: Draft, records: Collection[Adopted], found: Iterable[Found]) -> None:
    """Have those published members drain that drained, and nobody by a command alone.

    It may have been refused, or may not be known any more. What a member has asked for by itself
    it wants still. Where it was not found who drained, what was commanded counts as obeyed.
    """
    eldest = {it.life.shared_name: it for it in sorted(records, key=_age, reverse=True)}
    told = [it for it in found if isinstance(it, Advanced) and it.draining is not None]
    for record in records if told else ():
        member = draft.membership.members.get(record.member)
        if member is None or member.incarnation != record.incarnation:
            continue
        is_eldest = eldest[record.life.shared_name] is record
        drained = _drained(record, told[-1], is_eldest=is_eldest)
        if drained and not member.draining:
            draft.rules.drained.add(record.life, draft.policy.max_members)
            membership.dismiss(draft, record.member)
        elif member.dismissed and not drained:
            draft.rules.drained.drop(record.life)
            membership.readmit(draft, record.member)


def _drained(record: Adopted, told: Advanced, *, is_eldest: bool) -> bool:
    """Tell whether a summary says of a published life that it drained.

    The publication that let it in may have been cut before its summary. The last one that is there
    then speaks of the process before, unless this one was there by then. And twins may be told
    apart since then, or no longer: of these the one that was there first has the name alone.
    """
    if told.epoch < record.epoch and not 0 < began(record.incarnation) <= told.decided:
        return False
    shared = record.life.shared_name
    names = {f"{shared}@{record.incarnation}", *({shared} if is_eldest else ())}
    return not names.isdisjoint(told.draining or ())


def _age(record: Adopted) -> tuple[Millis, Incarnation]:
    return began(record.incarnation), record.incarnation
