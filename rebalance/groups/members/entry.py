"""Entry: a join is entered in the roster, as ``admission`` has judged it.

Called by ``step`` for each join, and by ``rocketmq_clients`` for what amounts to one. Its one rule:
a younger life never makes way for an older one of its name.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import assert_never

from rebalance.causes import Cause, CauseKind
from rebalance.errors import BrokenInvariant
from rebalance.groups.handover import strangers
from rebalance.groups.members import flapping, membership, twins
from rebalance.groups.members.admission import (
    Admitted,
    Late,
    Refused,
    Renewed,
    Repeated,
    TurnedAway,
    Yielded,
    judged,
)
from rebalance.groups.members.twins import Rival
from rebalance.groups.model.decisions import Ending, EventRefused, MemberChange, TwinsMet
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Joined, Released
from rebalance.groups.model.member import Member
from rebalance.groups.model.policy import TwinRule
from rebalance.ids import Life, Millis


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    asked: dict[Life, Millis] = field(default_factory=dict)
    """The sessions of those that were let in, and asked for a longer one than they got."""


def join(draft: Draft, event: Joined) -> None:
    """Judge a join, and carry the outcome out."""
    outcome = judged(draft, event)
    strangers.hear(draft, event.life, event.stamp)
    match outcome:
        case Late():
            pass
        case TurnedAway():
            draft.outbox.gone.add(event.member)
        case Refused():
            strangers.end(draft, event.life, event.stamp, CauseKind.FENCE, "it is not let in")
            _refuse(draft, event, outcome)
        case Yielded():
            strangers.end(draft, event.life, event.stamp, CauseKind.FENCE, "it is not let in")
            _yield(draft, event, outcome.to)
        case Repeated():
            _answer(draft, event, outcome.refused)
        case Renewed():
            _answer(draft, event)
            _renew(draft, event, outcome)
        case Admitted():
            _make_way(draft, event, outcome.rivals)
            _admit(draft, event, outcome)
        case _:
            assert_never(outcome)


def believe(draft: Draft, event: Released) -> None:
    """Believe in who works by a release, and joined in this step, for as long as it asked for.

    It counts by that session, because it was told of no shorter one.
    """
    asked = draft.scratch(_Step).asked
    for naming in event.namings if asked else ():
        if naming.to in asked:
            name, incarnation = naming.to
            member = draft.membership.members.get(name)
            if member is not None and member.incarnation == incarnation:
                member = replace(member, session_timeout_ms=asked[naming.to])
                draft.membership.members.put(name, member)


def _refuse(draft: Draft, event: Joined, refused: Refused) -> None:
    draft.outbox.notes.append(
        EventRefused(draft.before.name, event.stamp, refused.reason, refused.detail)
    )


def _yield(draft: Draft, event: Joined, keepers: Iterable[Rival]) -> None:
    """Have the older ones keep what they have; a newcomer that asks again is not named again."""
    for rival in keepers:
        if rival.lives and rival.older.challenger != event.life:
            draft.membership.members.put(rival.name, replace(rival.older, challenger=event.life))
            _name_both(draft, event, rival)


def _name_both(draft: Draft, event: Joined, rival: Rival) -> None:
    cause = Cause(CauseKind.JOIN, event.member, event.stamp.position)
    older = rival.older.life(rival.name)
    draft.outbox.notes.append(
        TwinsMet(draft.before.name, older, event.life, rival.rule, event.stamp.appended, cause)
    )


def _answer(draft: Draft, event: Joined, refused: Refused | None = None) -> None:
    """Hear a member that joins again, and send it its record once more."""
    draft.outbox.answered.add(event.member)
    membership.see(draft, event.member, event.stamp)
    if refused is not None:
        _refuse(draft, event, refused)


def _renew(draft: Draft, event: Joined, outcome: Renewed) -> None:
    """Write a member anew, as it wants to be by now."""
    known, member = outcome.known, outcome.member
    draft.membership.members.put(event.member, member)
    if known.presumed:
        twins.enrol(draft, event)
    if known.owns and not member.owns:
        # It may work on everything now, so no member need wait for what it held.
        draft.ended[event.life] = Ending.LEFT
    said = replace(known, sequence=event.sequence, challenger=None, guarded=member.guarded)
    if member == said:
        return
    draft.expect_by(Millis(event.stamp.heard + member.session_timeout_ms))
    if known.awaits_mark and member == replace(said, presumed=False):
        draft.outbox.touched = True  # it was asked to say all again (``marks``), and nothing is new
    else:
        draft.outbox.changes.append(
            Cause(CauseKind.SUBSCRIPTION, event.member, event.stamp.position)
        )


def _make_way(draft: Draft, event: Joined, rivals: Iterable[Rival]) -> None:
    """Have older lives go, now or when the younger one has taken over."""
    for rival in rivals:
        name, older = rival.name, rival.older
        if rival.lives:
            _name_both(draft, event, rival)
        if name == event.member:
            _end(draft, event, older)
        elif rival.rule is TwinRule.HAND_OVER:
            draft.membership.members.put(name, replace(older, instance=None))
            membership.dismiss(draft, name)
        elif rival.rule is TwinRule.FENCE_OLDER:
            detail = f"{event.member} joined under its instance {event.instance}"
            cause = Cause(CauseKind.REJOIN, name, event.stamp.position, detail)
            change = MemberChange.LEFT if older.away else MemberChange.FENCED
            membership.depart(draft, name, change, event.stamp, cause)


def _end(draft: Draft, event: Joined, older: Member) -> None:
    """End an older life, whose place the younger one is about to take."""
    if event.incarnation <= older.incarnation:
        raise BrokenInvariant(f"{event.member}: {older.incarnation} would end for an older life")
    life = older.life(event.member)
    draft.ended[life] = Ending.FENCED
    pulse = draft.membership.pulses[event.member]
    draft.heard[life] = pulse.seen
    if not older.away and flapping.was_there(pulse, event.stamp.heard):
        flapping.went(draft, event.member, older, event.stamp.clock)


def _admit(draft: Draft, event: Joined, outcome: Admitted) -> None:
    """Enter a new life, after those that had to go."""
    namesake = twins.take_over(draft, event, outcome.rivals)
    if namesake is not None:
        _name_both(draft, event, namesake)
    name, stamp, member, remark = event.member, event.stamp, outcome.member, ""
    rest = flapping.rest(draft, event.life, event.instance, stamp.clock)
    if rest is not None:
        member, remark = replace(member, resting_until=rest.until), rest.remark
        draft.expect_by(rest.until)
    kind, change = CauseKind.JOIN, MemberChange.JOINED
    if outcome.known is not None:
        kind, change = CauseKind.REJOIN, MemberChange.REJOINED
    cause = Cause(kind, name, stamp.position, remark)
    membership.enter(draft, name, member, change, stamp, cause)
    wished = event.session_timeout_ms
    if wished is not None and wished > member.session_timeout_ms:
        draft.scratch(_Step).asked[event.life] = wished
