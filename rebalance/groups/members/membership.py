"""Membership: beats, drains and departures, in log order.

Each life of a member has its own incarnation, so that a late record of an earlier life is never
taken for the present one (faults B3, B4, B5). Beats and joins are numbered apart, because they
travel by different topics and overtake each other. Joins are entered by ``entry``.

Its one rule: a member comes only by ``enter`` and goes only by ``depart``; ``adoption`` alone may
also enter and remove those that were published.
"""

from dataclasses import replace
from typing import Final

from rebalance.causes import Cause, CauseKind
from rebalance.groups.handover import omissions, strangers
from rebalance.groups.members import departures, flapping, marks, mass_silence, remains, unread
from rebalance.groups.model.decisions import (
    Ending,
    MemberChange,
    MemberChanged,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, DrainAsked, Left, Released
from rebalance.groups.model.member import Member, Pulse
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp

_ENTRIES: Final = frozenset({MemberChange.JOINED, MemberChange.REJOINED})
_LAST: Final = 2**53 - 1
"""The number of what a guard says for a dead process (``trimtab.holdings``): none is higher."""
_DEAD: Final = "its process has died, says its guard"


def beat(draft: Draft, event: BeatSeen) -> None:
    """Note a beat."""
    name, incarnation = event.life
    known = draft.membership.members.get(name)
    if known is None or incarnation != known.incarnation:
        _stray(draft, event, known)
    elif not known.away:
        pulse, seen = draft.membership.pulses[name], event.stamp.heard
        if event.sequence > pulse.sequence:
            if seen > pulse.seen:
                if draft.membership.suspected:
                    mass_silence.hear(draft, name, event.stamp)
            elif name in draft.membership.unsure:
                draft.expect_by(Millis(seen + known.session_timeout_ms))
            else:
                seen = pulse.seen
            draft.membership.unsure.discard(name)
            missed = pulse.unread and unread.heed(draft, event, known, pulse.unread)
            draft.membership.pulses.put(name, Pulse(seen, event.sequence, missed))
            if known.awaits_mark and event.epoch and not missed:
                marks.ask(draft, name)


def _stray(draft: Draft, event: BeatSeen, known: Member | None) -> None:
    """Hear a life that is not a member; if its epoch is 0, its join will be read soon."""
    strangers.hear(draft, event.life, event.stamp)
    if event.epoch == 0:
        return
    omissions.prolong(draft, event.stamp.heard)
    if known is None:
        draft.outbox.gone.add(event.member)  # it believes in a record
    elif event.incarnation < known.incarnation:
        unread.heed_older(draft, event)


def see(draft: Draft, member: MemberId, stamp: Stamp) -> None:
    """Note that a member has spoken."""
    pulse = draft.membership.pulses[member]
    if stamp.heard <= pulse.seen:
        return
    mass_silence.hear(draft, member, stamp)
    draft.membership.pulses.put(member, Pulse(stamp.heard, pulse.sequence, pulse.unread))


def go(draft: Draft, event: DrainAsked | Left) -> None:
    """Note that a member wants to go, or remove it once it has gone."""
    if isinstance(event, DrainAsked):
        _drain(draft, event)
    else:
        _leave(draft, event)


def _drain(draft: Draft, event: DrainAsked) -> None:
    known = draft.membership.members.get(event.member)
    if known is None or event.incarnation != known.incarnation:
        return
    see(draft, event.member, event.stamp)
    if event.sequence <= known.sequence:
        return
    if known.draining:
        if known.dismissed:
            member = replace(known, sequence=event.sequence, leaves=True)
            draft.membership.members.put(event.member, member)
        return
    _begin_to_drain(draft, event, replace(known, sequence=event.sequence))


def part(draft: Draft, event: Released) -> None:
    """Have a member drain that hands its queues on by itself: its drain, or leave, is read later.

    Topics have no order. The heirs would have to give the queues back meanwhile.
    """
    known = draft.membership.members.get(event.member)
    if known is not None and known.incarnation == event.incarnation and not known.draining:
        _begin_to_drain(draft, event, known)


def _begin_to_drain(draft: Draft, event: DrainAsked | Released, known: Member) -> None:
    member = replace(known, draining=True)
    draft.membership.members.put(event.member, member)
    cause = Cause(CauseKind.DRAIN, event.member, event.stamp.position)
    draft.outbox.changes.append(cause)
    _note(draft, event.member, member, MemberChange.DRAINING, event.stamp, cause)


def dismiss(draft: Draft, name: MemberId) -> None:
    """Make a member drain, even if it has not asked for it."""
    member = draft.membership.members[name]
    leaves = member.leaves or (member.draining and not member.dismissed)
    member = replace(member, draining=True, dismissed=True, leaves=leaves)
    draft.membership.members.put(name, member)


def readmit(draft: Draft, name: MemberId) -> None:
    """Let a member that was made to drain have queues again, unless it wants to go itself."""
    member = draft.membership.members[name]
    member = replace(member, draining=member.leaves, dismissed=False, leaves=False)
    draft.membership.members.put(name, member)


def _leave(draft: Draft, event: Left) -> None:
    known = draft.membership.members.get(event.member)
    if known is None or event.incarnation != known.incarnation or known.away:
        strangers.end(draft, event.life, event.stamp, CauseKind.LEAVE, "no member")
        departures.note_unknown(draft, event)
        return
    if event.sequence < known.sequence:
        return  # it has joined again since
    detail = _DEAD if event.sequence == _LAST else ""
    cause = Cause(CauseKind.LEAVE, event.member, event.stamp.position, detail)
    if event.temporary:
        see(draft, event.member, event.stamp)
        away = replace(known, sequence=event.sequence, away=True)
        draft.membership.members.put(event.member, away)
        draft.ended[known.life(event.member)] = Ending.LEFT
        draft.outbox.other_cause = cause
        _note(draft, event.member, known, MemberChange.AWAY, event.stamp, cause)
    else:
        depart(draft, event.member, MemberChange.LEFT, event.stamp, cause)
        departures.note(draft, event)


def enter(
    draft: Draft, name: MemberId, member: Member, change: MemberChange, stamp: Stamp, cause: Cause
) -> None:
    """Enter a new life in the roster."""
    mass_silence.hear(draft, name, stamp)
    strangers.admit(draft, name, member.incarnation, stamp)
    draft.membership.members.put(name, member)
    draft.membership.pulses.put(name, Pulse(stamp.heard, sequence=-1))
    draft.membership.empty_since = None
    if stamp.heard - stamp.clock > 2 * draft.policy.max_clock_step_ms:
        draft.membership.unsure.add(name)
    draft.expect_by(Millis(stamp.heard + member.session_timeout_ms))
    draft.outbox.answered.add(name)
    draft.outbox.changes.append(cause)
    _note(draft, name, member, change, stamp, cause)


def depart(draft: Draft, name: MemberId, change: MemberChange, stamp: Stamp, cause: Cause) -> None:
    """Remove a member."""
    member = draft.membership.members[name]
    life, seen = member.life(name), draft.membership.pulses[name].seen
    draft.membership.members.remove(name)
    draft.membership.pulses.remove(name)
    mass_silence.forget(draft, name)
    ending = Ending.LEFT if change is MemberChange.LEFT else Ending.FENCED
    draft.ended[life] = ending
    if member.dismissed and ending is Ending.LEFT and not member.away:
        draft.rules.drained.end(life)
    if change is not MemberChange.LEFT:
        draft.heard[life] = seen
        departures.note_evicted(draft, life)
    draft.outbox.gone.add(name)
    draft.outbox.changes.append(cause)
    if not draft.population:
        remains.note(draft, stamp.clock)
    if not (
        member.away and change is MemberChange.LEFT
    ):  # an away member that leaves has come back by another name
        flapping.went(draft, name, member, stamp.clock)
    _note(draft, name, member, change, stamp, cause)


def _note(
    draft: Draft,
    name: MemberId,
    member: Member,
    change: MemberChange,
    stamp: Stamp,
    cause: Cause,
) -> None:
    group, life, until = draft.before.name, member.life(name), None
    if change in _ENTRIES and member.resting_until is not None:
        until = Millis(stamp.appended + member.resting_until - stamp.clock)
    draft.outbox.notes.append(MemberChanged(group, life, change, stamp.appended, cause, until))
