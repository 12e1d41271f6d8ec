"""Membership: joins, beats and departures, in log order.

Each life of a member has its own incarnation, so that a late record of an earlier life is never
taken for the present one (faults B3, B4, B5). Beats and joins are numbered apart, because they
travel by different topics and overtake each other. Its one rule: members leave only by ``depart``.
"""

from dataclasses import replace

from rebalance.causes import Cause, CauseKind
from rebalance.groups.handover import omissions
from rebalance.groups.members import departures, flapping, mass_silence, remains, twins, unread
from rebalance.groups.model.decisions import (
    Ending,
    EventRefused,
    MemberChange,
    MemberChanged,
    Refusal,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, Drained, Joined, Left
from rebalance.groups.model.member import Member, Pulse
from rebalance.groups.model.policy import TwinRule
from rebalance.groups.model.subscriptions import wish_of
from rebalance.ids import Life, MemberId, Millis
from rebalance.stamp import Stamp


def join(draft: Draft, event: Joined) -> None:
    """Enter a member, or what it has changed."""
    known = draft.membership.members.get(event.member)
    if known is not None and event.incarnation <= known.incarnation:
        if event.incarnation == known.incarnation:
            _renew(draft, event, known)
        return
    rivals = twins.rivals(draft, event)
    if _is_over(draft, event) or twins.is_outlived(draft, event, rivals):
        draft.outbox.gone.add(event.member)
        return
    rules = {rival: _rule(draft, event, rival) for rival in rivals}
    replaces = known is not None or TwinRule.FENCE_OLDER in rules.values()
    if (not replaces and _is_full(draft, event)) or _has_too_many_patterns(draft, event):
        return
    refusals = {rival: rule for rival, rule in rules.items() if rule is TwinRule.REFUSE_NEWER}
    for rival, rule in (refusals or rules).items():
        twins.note(draft, event, rival, rule)
        if not refusals:
            _make_way(draft, event, rival, rule)
    if not refusals:
        twins.meet(draft, event, rules)
        _admit(draft, event, again=known is not None)


def _is_over(draft: Draft, event: Joined) -> bool:
    """Tell whether a life has left already, or may be one that was not found (``omissions``)."""
    barred = draft.membership.members.get(event.member) is None and omissions.bars(draft, event)
    return barred or departures.precedes(draft, event)


def _rule(draft: Draft, event: Joined, rival: MemberId) -> TwinRule:
    """Ask who keeps a name. If two lives fence each other again and again, the older one keeps it.

    Each comes back under the instance as a new life. It cannot be told which of them is right, but
    that both live can be, and so this is no restart.
    """
    rule, older = twins.rule(draft, event, rival), draft.membership.members[rival]
    if rule is not TwinRule.FENCE_OLDER or rival == event.member:
        return rule
    clock = event.stamp.clock
    restless = flapping.is_restless(draft, rival, older.instance, clock)
    if restless and twins.lives(draft, rival, event.stamp):
        return TwinRule.REFUSE_NEWER
    return rule


def _is_full(draft: Draft, event: Joined) -> bool:
    if draft.population < draft.policy.max_members:
        return False
    detail = f"the group has {draft.population} members, the limit"
    _refuse(draft, event, Refusal.TOO_MANY_MEMBERS, detail)
    return True


def _has_too_many_patterns(draft: Draft, event: Joined) -> bool:
    """Tell whether the group would have."""
    if not event.patterns:
        return False
    known = draft.membership.members.get(event.member)
    wish = None if known is None else wish_of(known)
    count = draft.membership.members.demand.patterns_with(wish, event.patterns)
    if count <= draft.policy.max_patterns:
        return False
    _refuse(draft, event, Refusal.TOO_MANY_PATTERNS, f"the group would have {count} patterns")
    return True


def _refuse(draft: Draft, event: Joined, reason: Refusal, detail: str) -> None:
    draft.outbox.notes.append(EventRefused(draft.before.name, event.stamp, reason, detail))


def _make_way(draft: Draft, event: Joined, rival: MemberId, rule: TwinRule) -> None:
    """Have the older of two lives go, now or when the younger has taken over."""
    older = draft.membership.members[rival]
    if rival == event.member:
        draft.fenced[Life(rival, older.incarnation)] = Ending.FENCED
        if not older.away:
            flapping.went(draft, rival, older, event.stamp.clock)
        return
    if rule is TwinRule.SEPARATE:
        return
    twins.succeed(draft, rival, event.member)
    if rule is TwinRule.HAND_OVER:
        draft.membership.members.put(rival, replace(older, instance=None))
        dismiss(draft, rival)
    else:
        detail = f"{event.member} joined under its instance {event.instance}"
        cause = Cause(CauseKind.REJOIN, rival, event.stamp.position, detail)
        change = MemberChange.LEFT if older.away else MemberChange.FENCED
        depart(draft, rival, change, event.stamp, cause)


def _admit(draft: Draft, event: Joined, *, again: bool) -> None:
    rest = flapping.rests_until(draft, event.member, event.instance, event.stamp.clock)
    member = replace(_described(draft, event), resting_until=rest)
    mass_silence.hear(draft, event.member, event.stamp)
    draft.membership.members.put(event.member, member)
    remains.note(draft, event.stamp.clock)
    twins.enrol(draft, event)
    draft.membership.pulses.put(event.member, Pulse(event.stamp.heard, sequence=-1))
    if event.stamp.heard - event.stamp.clock > 2 * draft.policy.max_clock_step_ms:
        draft.membership.unsure.add(event.member)
    draft.expect_by(Millis(event.stamp.heard + member.session_timeout_ms))
    if rest is not None:
        draft.expect_by(rest)
    draft.outbox.answered.add(event.member)
    kind = CauseKind.REJOIN if again else CauseKind.JOIN
    remark = flapping.remark(draft, event.member, event.instance, event.stamp.clock)
    cause = Cause(kind, event.member, event.stamp.position, remark)
    draft.outbox.causes.append(cause)
    change = MemberChange.REJOINED if again else MemberChange.JOINED
    _note(draft, event.member, member, change, event.stamp, cause)


def _renew(draft: Draft, event: Joined, known: Member) -> None:
    """Answer a repeated join; take over what it changed, if anything.

    A life keeps the instance that it came with, if that was read: for another instance it needs a
    new life, so that twins are noticed. A join that is not newer than a drain or a leave of the
    same life undoes neither. No join undoes what an operator or a successor wants of the member.
    """
    draft.outbox.answered.add(event.member)
    see(draft, event.member, event.stamp)
    if event.sequence < known.sequence or _has_too_many_patterns(draft, event):
        return
    repeated = event.sequence == known.sequence
    member = replace(
        _described(draft, event),
        resting_until=known.resting_until,
        since=known.since,
        instance=event.instance if known.presumed else known.instance,
        draining=known.dismissed or (repeated and known.draining),
        dismissed=known.dismissed,
        away=repeated and known.away,
    ).as_patient_as(known)
    draft.membership.members.put(event.member, member)
    if known.presumed:
        twins.enrol(draft, event)
    if known.owns and not member.owns:
        # It may work on everything now, so no member need wait for what it held.
        draft.fenced[Life(event.member, known.incarnation)] = Ending.LEFT
    if member == replace(known, sequence=event.sequence, challenger=None):
        return
    draft.expect_by(Millis(event.stamp.heard + member.session_timeout_ms))
    draft.outbox.causes.append(Cause(CauseKind.SUBSCRIPTION, event.member, event.stamp.position))


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
        mode=event.mode,
        eager=event.eager,
        since=draft.next_epoch,
        patterns=event.patterns,
    )


def beat(draft: Draft, event: BeatSeen) -> None:
    """Tick off a member that was seen."""
    known = draft.membership.members.get(event.member)
    if event.epoch > 0 and (known is None or event.incarnation != known.incarnation):
        omissions.prolong(draft, event.stamp.heard)
    if known is None:
        if event.epoch > 0:  # it believes in a record; a mere joiner (0) is about to be read
            draft.outbox.gone.add(event.member)
    elif event.incarnation == known.incarnation and not known.away:
        pulse, seen = draft.membership.pulses[event.member], event.stamp.heard
        if event.sequence > pulse.sequence:
            if seen > pulse.seen:
                mass_silence.hear(draft, event.member, event.stamp)
            elif event.member in draft.membership.unsure:
                draft.expect_by(Millis(seen + known.session_timeout_ms))
            else:
                seen = pulse.seen
            draft.membership.unsure.discard(event.member)
            missed = pulse.unread and unread.heed(draft, event, known, pulse.unread)
            draft.membership.pulses.put(event.member, Pulse(seen, event.sequence, missed))


def see(draft: Draft, member: MemberId, stamp: Stamp) -> None:
    """Note that a member has spoken."""
    pulse = draft.membership.pulses[member]
    if stamp.heard <= pulse.seen:
        return
    mass_silence.hear(draft, member, stamp)
    draft.membership.pulses.put(member, Pulse(stamp.heard, pulse.sequence, pulse.unread))


def go(draft: Draft, event: Drained | Left) -> None:
    """Note that a member wants to go, or remove it once it has gone."""
    if isinstance(event, Drained):
        _drain(draft, event)
    else:
        _leave(draft, event)


def _drain(draft: Draft, event: Drained) -> None:
    known = draft.membership.members.get(event.member)
    if known is None or event.incarnation != known.incarnation:
        return
    see(draft, event.member, event.stamp)
    if known.draining or event.sequence <= known.sequence:
        return
    member = replace(known, sequence=event.sequence, draining=True)
    draft.membership.members.put(event.member, member)
    cause = Cause(CauseKind.DRAIN, event.member, event.stamp.position)
    draft.outbox.causes.append(cause)
    _note(draft, event.member, member, MemberChange.DRAINING, event.stamp, cause)


def dismiss(draft: Draft, name: MemberId) -> None:
    """Have a member drain, whatever it wants itself."""
    member = draft.membership.members[name]
    draft.membership.members.put(name, replace(member, draining=True, dismissed=True))


def _leave(draft: Draft, event: Left) -> None:
    known = draft.membership.members.get(event.member)
    if known is None or event.incarnation != known.incarnation or known.away:
        return
    if event.sequence < known.sequence:
        return  # it has joined again since
    cause = Cause(CauseKind.LEAVE, event.member, event.stamp.position)
    if event.temporary:
        see(draft, event.member, event.stamp)
        away = replace(known, sequence=event.sequence, away=True)
        draft.membership.members.put(event.member, away)
        draft.fenced[Life(event.member, known.incarnation)] = Ending.LEFT
        draft.outbox.occasion = cause
        _note(draft, event.member, known, MemberChange.AWAY, event.stamp, cause)
    else:
        depart(draft, event.member, MemberChange.LEFT, event.stamp, cause)
        departures.note(draft, event)


def depart(draft: Draft, name: MemberId, change: MemberChange, stamp: Stamp, cause: Cause) -> None:
    """Remove a member."""
    member = draft.membership.members[name]
    draft.membership.members.remove(name)
    draft.membership.pulses.remove(name)
    mass_silence.forget(draft, name)
    ending = Ending.LEFT if change is MemberChange.LEFT else Ending.FENCED
    draft.fenced[Life(name, member.incarnation)] = ending
    draft.outbox.gone.add(name)
    draft.outbox.causes.append(cause)
    remains.note(draft, stamp.clock)
    if not (member.away and change is MemberChange.LEFT):  # it is back, by another name
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
    draft.outbox.notes.append(
        MemberChanged(draft.before.name, name, member.incarnation, change, stamp.appended, cause)
    )
