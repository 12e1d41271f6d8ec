"""Ailments: failures that concern one group, and their reasons.

A user's strategy may raise, or return nonsense: then the old target stays, and the rest of the step
is done. If the step itself fails, nothing of it counts (``endured``): what is published stays, and
only the beats are noted, so that no member looks silent once the group works again. Each failure is
reported once, in the summary and in the history. It is tried again at the group's next change, or
when an operator commands it: a step is a function of the log, so without a change it would only
fail again.

Lack of memory is different: it stops the batch, and Spark repeats it. Too deep a recursion counts
as the group's failure, because a repeated batch would recurse as deep.

Called by ``target`` for a strategy, by ``step`` when all works again, and by ``streaming``. What
is published stays until a step succeeds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from rebalance.causes import Cause, CauseKind
from rebalance.groups import commons
from rebalance.groups.handover import omissions
from rebalance.groups.model.decisions import GroupAiled
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import FOUND, BeatSeen, Moment, Registered
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import Ailment, GroupState
from rebalance.groups.summary import summarise
from rebalance.ids import Epoch, GroupName, Millis
from rebalance.stamp import Stamp

_LONGEST: Final = 300
"""Characters of a reason: what a line for people may have (``trimtab.protocol.limits``)."""
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]+")
"""Where an object lies in memory: another place when the batch is repeated."""


def reason_of(error: BaseException) -> str:
    """Return what an exception says, as a line that anybody may be shown."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - a stranger's message may raise as well
        said = "its message cannot be read"
    return _ADDRESS.sub("0x", legible(f"{type(error).__name__}: {said[:_LONGEST]}"))


def legible(text: str, longest: int = _LONGEST) -> str:
    """Return a stranger's text as one line."""
    return "".join(it if it.isprintable() else "?" for it in text[:longest])


def refused_target(draft: Draft, reason: str, now: Stamp) -> None:
    """Go on without a new target, or with one that is old in part: the strategy has failed."""
    tried = draft.next_epoch if draft.outbox.changes else draft.before.group_epoch
    known, ailment = draft.ailment, Ailment(reason, tried)
    if known is None or known.reason != ailment.reason:
        _note(draft, ailment, now)
    draft.ailment = ailment


def is_barred(draft: Draft) -> bool:
    """Tell whether the strategy has failed, and nothing has changed since."""
    if draft.ailment is None or draft.outbox.changes or draft.target.urgent:
        return False
    return draft.ailment.tried == draft.before.group_epoch


def recover(draft: Draft, now: Stamp, *, strategy: bool) -> None:
    """Note that what failed before has succeeded."""
    known = draft.ailment
    if known is None:
        return
    if known.withheld_until is not None:
        if known.reason != omissions.REASON:  # steps have failed, which told no member anything
            omissions.withhold(draft, now.heard)
            _note(draft, draft.ailment, now)
    elif strategy is (known.tried is not None):
        _note(draft, None, now)


def begin_to_withhold(draft: Draft, now: Stamp) -> None:
    """Note that not all that was published was found, and promise no queue until that is safe."""
    omissions.withhold(draft, now.heard)
    _note(draft, draft.ailment, now)


def cease_to_withhold(draft: Draft, stamp: Stamp) -> None:
    """Go on as usual once members that were not found must have stopped."""
    known = draft.ailment
    if known is None or known.withheld_until is None or stamp.clock < known.withheld_until:
        return
    _note(draft, None, stamp)
    omissions.fence(draft)
    draft.target.hasten()  # each queue is looked at: none has been since
    detail = "members that were not found must have stopped"
    draft.outbox.changes.append(
        Cause(CauseKind.ADOPTION, draft.before.name, stamp.position, detail)
    )


def _note(draft: Draft, ailment: Ailment | None, now: Stamp) -> None:
    draft.ailment, draft.outbox.touched = ailment, True
    told = _told(draft.before, ailment, now)
    draft.outbox.other_cause = draft.outbox.other_cause or told.cause
    draft.outbox.notes.append(told)


def _told(before: GroupState, ailment: Ailment | None, now: Stamp) -> GroupAiled:
    return told(before.name, "" if ailment is None else ailment.reason, now)


def told(group: GroupName, reason: str, now: Stamp) -> GroupAiled:
    """Say what could not be done; without a reason, that it works again."""
    cause = Cause(CauseKind.AILMENT, group, now.position, reason or "it works again")
    return GroupAiled(group, reason, now.appended, cause)


@dataclass(frozen=True, slots=True)
class Endured:
    """What is left of a group whose step has failed."""

    state: GroupState
    decisions: tuple[GroupAiled | GroupSummarised, ...]


def endured(
    before: GroupState, moments: Sequence[Moment], now: Stamp, policy: Policy, reason: str
) -> Endured:
    """Return a group as it was before a step that failed, except when members were heard."""
    state = replace(heard(before, moments), deadline=None)
    known = before.ailment
    ailment = Ailment(reason, withheld_until=None if known is None else known.withheld_until)
    if ailment == before.ailment:
        return Endured(state, ())
    told, state = _told(before, ailment, now), replace(state, ailment=ailment)
    if any(isinstance(it, FOUND) and it.epoch > before.epoch for it in moments):
        return Endured(state, (told,))  # a summary would have an epoch that was passed
    outbox = replace(state.outbox, epoch_cause=told.cause)
    state = replace(state, epoch=Epoch(before.epoch + 1), outbox=outbox)
    return Endured(state, (told, *_summary(state, told.cause, now, policy)))


def heard(before: GroupState, moments: Sequence[Moment]) -> GroupState:
    """Return a group whose members count as heard whenever they were."""
    pulses = dict(before.membership.pulses)
    for moment in moments:
        if not isinstance(moment, BeatSeen | Registered):
            continue
        member, pulse = before.membership.members.get(moment.member), pulses.get(moment.member)
        if member is None or pulse is None or member.incarnation != moment.incarnation:
            continue
        seen, sequence = Millis(max(pulse.seen, moment.stamp.heard)), pulse.sequence
        if isinstance(moment, BeatSeen):
            sequence = max(sequence, moment.sequence)
        pulses[moment.member] = replace(pulse, seen=seen, sequence=sequence)
    return before.with_pulses(pulses)


def _summary(
    state: GroupState, cause: Cause, now: Stamp, policy: Policy
) -> tuple[GroupSummarised, ...]:
    """Return the group's summary, if it can still be written."""
    try:
        draft = Draft(state, policy)
        books, roster = draft.handover.books.merged(), draft.membership.members.merged()
        common = commons.Commons.of(state, roster)
        strategy = state.rules.strategy or draft.policy.strategy
        return (summarise(state, books, common, strategy, now.appended, cause),)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the history has the reason; the old summary stands
        return ()
