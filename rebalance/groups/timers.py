"""Timers: what the passing of log time alone decides.

The silence of a session, a queue kept past its deadline, a pause, a rest or a doubt that is over, a
target that had to wait: each has a deadline, and the group sleeps until the earliest of them. A
deadline is a reading of the log clock, taken from the stamp of a record.

Called by ``step`` before each event and after the last, and by ``conclusion`` and ``quiet`` for the
next deadline. Its one rule: no clock but the log clock counts.
"""

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Final

from rebalance.causes import Cause, CauseKind
from rebalance.groups import ailments, routing
from rebalance.groups.handover import endings, notice, omissions, strangers
from rebalance.groups.members import departures, flapping, mass_silence, membership, remains
from rebalance.groups.model.decisions import MemberChange, PauseEnded
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Member
from rebalance.groups.model.roster import Trait
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp

_PASTS: Final = (departures, flapping, remains)
"""Modules that remember members that are gone, each until a deadline."""


def fire(draft: Draft, stamp: Stamp) -> None:
    """Do all that is due at ``stamp``."""
    if draft.deadline is None or stamp.clock < draft.deadline:
        return
    if (
        draft.rules.paused
        and draft.rules.paused_until is not None
        and stamp.clock >= draft.rules.paused_until
    ):
        cause = Cause(CauseKind.COMMAND, "pause", stamp.position, "its time is over")
        draft.resume(cause)
        draft.outbox.notes.append(PauseEnded(draft.before.name, stamp.appended, cause))
    routing.believe(draft, stamp)
    flapping.wake(draft, stamp)
    _evict(draft, stamp)
    ailments.cease_to_withhold(draft, stamp)
    endings.take(draft, stamp)
    endings.repeat(draft, stamp)
    strangers.expire(draft, stamp)
    for past in _PASTS:
        if any(stamp.clock >= deadline for deadline in past.deadlines(draft)):
            past.sweep(draft)
    # What the end of this step will do anyway must not fire again at each event until then.
    later = (deadline for deadline in _target_deadlines(draft) if deadline > stamp.clock)
    draft.deadline = min(chain(_deadlines(draft), later), default=None)


def _evict(draft: Draft, stamp: Stamp) -> None:
    """Evict members that have been silent, or have kept a queue, for too long.

    A member that keeps a queue and is silent as well may have released it without our hearing it.
    While many are silent its eviction is held, like those of members whose sessions have ended.
    """
    silent = dict.fromkeys(name for name, end in _sessions(draft).items() if stamp.clock >= end)
    overdue = [] if draft.rules.paused else _overdue(draft, stamp.clock)
    unheard = dict.fromkeys(name for name in overdue if mass_silence.is_mute(draft, name, stamp))
    believed = dict.fromkeys(mass_silence.believed(draft, list(silent | unheard), stamp))
    for name in believed:
        if name in silent:
            detail = f"silent for {stamp.clock - draft.membership.pulses[name].seen} ms"
            cause = Cause(CauseKind.EXPIRY, name, stamp.position, detail)
            membership.depart(draft, name, MemberChange.EXPIRED, stamp, cause)
    for name in overdue:
        if draft.membership.members.get(name) is not None and (
            name in believed or name not in unheard
        ):
            cause = Cause(CauseKind.FENCE, name, stamp.position, "missed its revocation deadline")
            membership.depart(draft, name, MemberChange.FENCED, stamp, cause)


def earliest(draft: Draft, without: Collection[MemberId] = ()) -> Millis | None:
    """Return the next deadline, exactly, but for the ends of some members' sessions."""
    return min(chain(_deadlines(draft, without), _target_deadlines(draft)), default=None)


def _deadlines(draft: Draft, without: Collection[MemberId] = ()) -> Iterator[Millis]:
    if None in draft.handover.posted.values():
        yield Millis(0)  # the next batch shows that it is out
    held, members, sessions = (
        draft.membership.suspected.merged(),
        draft.membership.members.merged(),
        _sessions(draft),
    )
    apart = {*held, *without}
    ends = [end for name, end in sessions.items() if name not in apart]
    if ends:
        yield Millis(min(ends))
    resting = (members[name].resting_until for name in members.those(Trait.RESTING))
    yield from (until for until in resting if until is not None)
    yield from routing.deadlines(draft)
    yield from endings.deadlines(draft)
    yield from strangers.deadlines(draft)
    for past in _PASTS:
        yield from past.deadlines(draft)
    if draft.ailment is not None and draft.ailment.withheld_until is not None:
        yield draft.ailment.withheld_until
    late = _revocations(draft)
    if draft.rules.paused:
        if draft.rules.paused_until is not None:
            yield draft.rules.paused_until
        # A pause does not stop hand-overs under way: eager holders have had their time.
        yield from (deadline for name, deadline in late.items() if members[name].eager)
        return
    for name, until in held.items():  # nothing becomes of it before that, if it lets go meanwhile
        yield Millis(max(until, min(late.get(name, sessions[name]), sessions[name])))
    yield from (deadline for name, deadline in late.items() if name not in held)


def _target_deadlines(draft: Draft) -> Iterator[Millis]:
    if draft.rules.paused or omissions.withholds(draft):
        return
    if draft.target.deferred:
        yield Millis(0)
    elif ailments.is_barred(draft):
        return  # it would only fail again
    elif draft.awaits_target and draft.target.at is not None:
        yield Millis(draft.target.at + draft.policy.assignment_interval_ms)


def _sessions(draft: Draft) -> dict[MemberId, int]:
    """Return when each session ends; plain numbers, because there is one for each member."""
    pulses, silence_ms = draft.membership.pulses.merged(), draft.policy.silence_ms
    return {
        name: pulses[name].seen + silence_ms(member.session_timeout_ms)
        for name, member in draft.membership.members.items()
    }


def _overdue(draft: Draft, clock: Millis) -> list[MemberId]:
    """Members that kept a queue past the deadline for letting it go, and can be late at all."""
    late = {name for name, deadline in _revocations(draft).items() if clock >= deadline}
    return [
        name
        for name, member in draft.membership.members.items()
        if name in late and not member.eager
    ]


def _revocations(draft: Draft) -> dict[MemberId, Millis]:
    """Members that were told to let go and are not known to have done so, and until when first."""
    found: dict[MemberId, Millis] = {}
    for queue in draft.handover.books.moving():
        owned = draft.handover.books[queue]
        name, incarnation = owned.holder.life
        member = draft.membership.members.get(name)
        if owned.asked is None or owned.ending is not None:
            continue
        if member is None or member.incarnation != incarnation:
            continue
        begun = notice.begins(draft, owned.asked)
        deadline = Millis(begun + _patience(draft, member))
        found[name] = min(deadline, found.get(name, deadline))
    return found


def _patience(draft: Draft, member: Member) -> Millis:
    """How long after it can know it a member must have let go.

    It gives itself four fifths of its revocation timeout (``trimtab.session.fencing``), but from
    its reading. If it lives it reads within a session, or drops everything for not reading.
    """
    if member.eager:
        return draft.policy.eager_grace_ms
    timeout, silence = member.revocation_timeout_ms, draft.policy.silence_ms
    return max(timeout, Millis(silence(member.session_timeout_ms) + timeout - timeout // 5))
