"""The roster: who belongs to the group, and who has gone silent.

Like the book at a ship's gangway. Whoever comes aboard signs in; whoever is seen is ticked off;
whoever was not seen for a whole session is struck out, and so is whoever holds on to a queue
past its deadline. Each life of a member signs with its own incarnation, so that a late message
of an earlier life is never taken for the present one (faults B3, B4, B5, C1), and beats and joins
are numbered apart, since they travel by different topics and overtake each other.

Called by ``step`` for each member event, in log order. It decides nothing about queues: it notes
which lives ended (``draft.fenced``) and that the group changed (``draft.causes``).

Its one rule: only the log clock strikes a member out.
"""

from dataclasses import replace
from typing import assert_never

from rebalance.causes import Cause, CauseKind
from rebalance.decisions import Ending, EventRefused, MemberChange, MemberChanged, Refusal
from rebalance.draft import Draft
from rebalance.events import Beaten, Drained, Joined, Left, MemberEvent, Stamp
from rebalance.group import Member, Pulse
from rebalance.ids import MemberId, Millis


def fold(draft: Draft, event: MemberEvent) -> None:
    """Enter one event of a member in the roster."""
    match event:
        case Joined():
            _join(draft, event)
        case Beaten():
            _beat(draft, event)
        case Drained():
            _drain(draft, event)
        case Left():
            _leave(draft, event)
        case _:
            assert_never(event)


def _join(draft: Draft, event: Joined) -> None:
    known = draft.members.get(event.member)
    if known is None:
        if draft.population >= draft.policy.max_members:
            detail = f"the group has {draft.population} members, the limit"
            draft.notes.append(
                EventRefused(draft.before.name, event.stamp, Refusal.TOO_MANY_MEMBERS, detail)
            )
            return
        _admit(draft, event, MemberChange.JOINED, CauseKind.JOIN)
    elif event.incarnation > known.incarnation:
        # A restart under the same name, or a twin: the younger life fences the older one (C1).
        draft.fenced[event.member, known.incarnation] = Ending.FENCED
        _admit(draft, event, MemberChange.REJOINED, CauseKind.REJOIN)
    elif event.incarnation == known.incarnation and event.sequence >= known.sequence:
        _renew(draft, event, known)


def _admit(draft: Draft, event: Joined, change: MemberChange, kind: CauseKind) -> None:
    if draft.members.get(event.member) is None:
        draft.population += 1
    member = _described(draft, event)
    draft.members.put(event.member, member)
    draft.pulses.put(event.member, Pulse(event.stamp.heard, sequence=-1))
    draft.expect_by(Millis(event.stamp.heard + member.session_timeout_ms))
    draft.answered.add(event.member)
    cause = Cause(kind, event.member, event.stamp.position)
    draft.causes.append(cause)
    _note(draft, event.member, member, change, event.stamp, cause)


def _renew(draft: Draft, event: Joined, known: Member) -> None:
    """Answer a repeated join; take over what it changed, if anything."""
    draft.answered.add(event.member)
    _see(draft, event.member, event.stamp)
    member = _described(draft, event)
    draft.members.put(event.member, member)
    if member == replace(known, sequence=event.sequence):
        return
    draft.expect_by(Millis(event.stamp.heard + member.session_timeout_ms))
    draft.causes.append(Cause(CauseKind.SUBSCRIPTION, event.member, event.stamp.position))


def _described(draft: Draft, event: Joined) -> Member:
    return Member(
        incarnation=event.incarnation,
        sequence=event.sequence,
        topics=event.topics,
        session_timeout_ms=draft.policy.session_ms(event.session_timeout_ms),
        revocation_timeout_ms=draft.policy.revocation_ms(event.revocation_timeout_ms),
        instance=event.instance,
        rack=event.rack,
        weight=event.weight,
        capacity=event.capacity,
    )


def _beat(draft: Draft, event: Beaten) -> None:
    known = draft.members.get(event.member)
    if known is None:
        if event.epoch > 0:  # it believes in a record; a mere joiner (0) is about to be read
            draft.gone.add(event.member)
    elif event.incarnation == known.incarnation:
        pulse = draft.pulses[event.member]
        if event.sequence > pulse.sequence:
            seen = max(pulse.seen, event.stamp.heard)
            draft.pulses.put(event.member, Pulse(seen, event.sequence))


def _see(draft: Draft, member: MemberId, stamp: Stamp) -> None:
    pulse = draft.pulses[member]
    if stamp.heard > pulse.seen:
        draft.pulses.put(member, replace(pulse, seen=stamp.heard))


def _drain(draft: Draft, event: Drained) -> None:
    known = draft.members.get(event.member)
    if known is None or event.incarnation != known.incarnation:
        return
    _see(draft, event.member, event.stamp)
    if known.draining or event.sequence <= known.sequence:
        return
    member = replace(known, sequence=event.sequence, draining=True)
    draft.members.put(event.member, member)
    cause = Cause(CauseKind.DRAIN, event.member, event.stamp.position)
    draft.causes.append(cause)
    _note(draft, event.member, member, MemberChange.DRAINING, event.stamp, cause)


def _leave(draft: Draft, event: Left) -> None:
    known = draft.members.get(event.member)
    if known is not None and event.incarnation == known.incarnation:
        cause = Cause(CauseKind.LEAVE, event.member, event.stamp.position)
        _depart(draft, event.member, known, MemberChange.LEFT, event.stamp, cause)


def expire(draft: Draft, stamp: Stamp) -> None:
    """Strike out whoever has been silent, or has kept a queue, for too long at ``stamp``."""
    if not draft.due(stamp):
        return
    overdue = _overdue(draft, stamp.clock)
    for name, member in draft.members.items():
        silence_ms = stamp.clock - draft.pulses[name].seen
        if silence_ms >= member.session_timeout_ms:
            detail = f"silent for {silence_ms} ms"
            cause = Cause(CauseKind.EXPIRY, name, stamp.position, detail)
            _depart(draft, name, member, MemberChange.EXPIRED, stamp, cause)
        elif name in overdue:
            cause = Cause(CauseKind.FENCE, name, stamp.position, "missed its revocation deadline")
            _depart(draft, name, member, MemberChange.FENCED, stamp, cause)
    draft.deadline = earliest_deadline(draft)


def _overdue(draft: Draft, clock: Millis) -> set[MemberId]:
    """Members that kept a queue past the deadline for letting it go."""
    return {name for name, deadline in _revocations(draft) if clock >= deadline}


def _revocations(draft: Draft) -> list[tuple[MemberId, Millis]]:
    found = []
    for owned in draft.ownership.values():
        for grant in (owned.holder, owned.heir):
            if grant is None or grant.asked is None:
                continue
            member = draft.members.get(grant.member)
            if member is not None and member.incarnation == grant.incarnation:
                deadline = Millis(grant.asked.at + member.revocation_timeout_ms)
                found.append((grant.member, deadline))
    return found


def earliest_deadline(draft: Draft) -> Millis | None:
    """Return when silence may next decide something, exactly."""
    deadlines = [deadline for _, deadline in _revocations(draft)]
    deadlines += [
        Millis(draft.pulses[name].seen + member.session_timeout_ms)
        for name, member in draft.members.items()
    ]
    return min(deadlines, default=None)


def _depart(
    draft: Draft,
    name: MemberId,
    member: Member,
    change: MemberChange,
    stamp: Stamp,
    cause: Cause,
) -> None:
    draft.members.remove(name)
    draft.pulses.remove(name)
    draft.population -= 1
    ending = Ending.LEFT if change is MemberChange.LEFT else Ending.FENCED
    draft.fenced[name, member.incarnation] = ending
    draft.gone.add(name)
    draft.causes.append(cause)
    _note(draft, name, member, change, stamp, cause)


def _note(
    draft: Draft,
    name: MemberId,
    member: Member,
    change: MemberChange,
    stamp: Stamp,
    cause: Cause,
) -> None:
    draft.notes.append(
        MemberChanged(draft.before.name, name, member.incarnation, change, stamp.appended, cause)
    )
