"""Mass silence: while many members are silent at once, evictions wait.

Silence of one member probably means that it died. Silence of most of a group probably means that we
cannot hear. So while more than a set share of a group is silent, the log's word alone evicts no
member: evictions are held, the members keep their queues, and the history says so. The hold ends a
heartbeat after enough members are heard again (after an outage they come back one by one), when the
silence has lasted for another while, or when an operator confirms it (reliability rule 6). A paused
group holds all evictions; when the pause begins or ends, the history says why they are held now.

A member counts as silent from half a session on: members that fell silent together do not reach the
end of their sessions together, and the first must not be evicted before the others are noticed. Nor
is it known whether such a member has kept what it was to let go. If nobody at all is heard, clients
of RocketMQ's are held until the last one's time: they may live, and take what they are given.

Called by ``timers`` for silent members, and by ``membership`` for those that speak. Its one rule: a
held member that speaks has never been away.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import EvictionsHeld
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Member, Pulse
from rebalance.ids import MemberId, Millis
from rebalance.stamp import Stamp


@dataclass(slots=True)
class _Silence:
    """What this module keeps for one step."""

    mute: int | None = None
    """At least so many members look dead, once they have been counted."""
    told: set[MemberId] = field(default_factory=set)
    """Whose hold was told since a pause began or ended."""
    calm: bool = False
    """Most members are heard again, and conclusions are drawn."""


PAUSED = "paused"
"""Why evictions are held, where it is not for the number of those that are silent."""
_CONFIRMED = Millis(0)
"""From then on nothing is held any more."""


def is_mute(draft: Draft, name: MemberId, stamp: Stamp) -> bool:
    """Tell whether a member has said nothing for longer than half its session."""
    return _is_mute(draft.membership.pulses[name], draft.membership.members[name], stamp)


def believed(draft: Draft, silent: Sequence[MemberId], stamp: Stamp) -> Sequence[MemberId]:
    """Return those of the silent members that may be evicted now; hold the others."""
    if not silent:
        return silent
    looks_dead = _looks_dead(draft, stamp)
    if not draft.rules.paused and not _too_many(draft, looks_dead):
        return [it for it in silent if stamp.clock >= (draft.membership.suspected.get(it) or 0)]
    together = _go_together(draft, looks_dead)
    draft.scratch(_Silence).calm = False
    fresh, said = _news(draft, silent), draft.outbox.other_cause
    detail = PAUSED if draft.rules.paused else f"{looks_dead} of {draft.population} are silent"
    for name in silent:
        _hold(draft, name, _until(draft, name, stamp, together), stamp, detail)
    if fresh:
        draft.outbox.other_cause = cause = Cause(CauseKind.EXPIRY, fresh[0], stamp.position, detail)
        draft.outbox.notes.append(
            EvictionsHeld(draft.before.name, fresh, looks_dead, stamp.appended, cause)
        )
    if _has_turned(draft):
        draft.outbox.other_cause = said  # who paused it: nobody is more silent for that
    return (
        []
        if draft.rules.paused
        else [name for name in silent if stamp.clock >= draft.membership.suspected[name]]
    )


def _news(draft: Draft, silent: Sequence[MemberId]) -> tuple[MemberId, ...]:
    """Return those that were not held, or for another reason: a pause has begun or ended since."""
    held, told = draft.membership.suspected, draft.scratch(_Silence).told
    if not _has_turned(draft):
        return tuple(name for name in silent if held.get(name) is None)
    fresh = tuple(it for it in silent if it not in told and held.get(it) != _CONFIRMED)
    told.update(fresh)
    return fresh


def _has_turned(draft: Draft) -> bool:
    return draft.rules.paused != draft.before.rules.paused


def _until(draft: Draft, name: MemberId, stamp: Stamp, together: Millis | None) -> Millis:
    if draft.rules.paused:
        return _resumption(draft, name, stamp)
    return _patience(draft, name) if together is None else together


def _resumption(draft: Draft, name: MemberId, stamp: Stamp) -> Millis:
    """Until the pause ends, at any time; written once, since each new time would be a decision."""
    return min(draft.membership.suspected.get(name) or stamp.clock, stamp.clock)


def _patience(draft: Draft, name: MemberId) -> Millis:
    """Until when a member that is doubted to be dead may be silent."""
    session = draft.policy.silence_ms(draft.membership.members[name].session_timeout_ms)
    return Millis(draft.membership.pulses[name].seen + session + draft.policy.blast_hold_ms)


def _go_together(draft: Draft, looks_dead: int) -> Millis | None:
    """Return when all members go at once: nobody is heard, and all do as they are told at once.

    One after another, each would be given the queues of those that went before it.
    """
    members = draft.membership.members
    if looks_dead < len(members) or not all(it.eager for it in members.values()):
        return None
    return max(_patience(draft, name) for name, _ in members.items())


def _hold(draft: Draft, name: MemberId, until: Millis, stamp: Stamp, detail: str) -> None:
    if draft.membership.suspected.get(name) not in (until, _CONFIRMED):
        draft.membership.suspected.put(name, until)
        draft.outbox.other_cause = Cause(CauseKind.EXPIRY, name, stamp.position, detail)


def hear(draft: Draft, name: MemberId, stamp: Stamp) -> None:
    """Stop holding a member that has just spoken; its pulse does not show it yet.

    Perhaps enough members are heard again to believe in the silence of the others. Counting them
    costs as much as the group is large, and after an outage all of them speak in one batch. So
    silent members are counted once, and one less with each that speaks. More may have fallen silent
    since: the count is a lower bound, and while even that is too many there is no need to count.
    """
    if not draft.membership.suspected:
        return
    if draft.membership.suspected.get(name) is not None:
        draft.outbox.other_cause = Cause(
            CauseKind.EXPIRY, name, stamp.position, "it is heard again"
        )
        draft.expect_by(Millis(stamp.heard + draft.membership.members[name].session_timeout_ms))
    draft.membership.suspected.remove(name)
    silence = draft.scratch(_Silence)
    if draft.rules.paused or silence.calm:
        return
    pulse = draft.membership.pulses.get(name)
    if silence.mute is None:
        silence.mute = _looks_dead(draft, stamp, heard=name)
    elif pulse is not None and _is_mute(pulse, draft.membership.members[name], stamp):
        silence.mute -= 1
    if _too_many(draft, silence.mute):
        return
    silence.mute = _looks_dead(draft, stamp, heard=name)
    silence.calm = not _too_many(draft, silence.mute)
    if silence.calm:
        _shorten(draft, stamp)


def forget(draft: Draft, name: MemberId) -> None:
    """Stop counting a member that is gone."""
    draft.membership.suspected.remove(name)
    silence = draft.scratch(_Silence)
    if silence.mute is not None:
        silence.mute -= 1


def _shorten(draft: Draft, stamp: Stamp) -> None:
    """Give the others a heartbeat to be heard as well, from the record that was heard.

    Not from when it was looked at: the log decides and not how it was cut (I7).
    """
    for name, until in list(draft.membership.suspected.items()):
        interval = draft.policy.heartbeat_ms(draft.membership.members[name].session_timeout_ms)
        sooner = min(until, Millis(stamp.clock + interval))
        _hold(draft, name, sooner, stamp, "enough others are heard again")
        draft.expect_by(draft.membership.suspected[name])


def hold_no_longer(draft: Draft) -> None:
    """Hold nobody longer than the rules that were just chosen do."""
    for name, until in list(draft.membership.suspected.items()):
        draft.membership.suspected.put(name, min(until, _patience(draft, name)))


def confirm(draft: Draft) -> int:
    """Believe that all held members are silent; return how many they are."""
    held = list(draft.membership.suspected.merged())
    for name in held:
        draft.membership.suspected.put(name, _CONFIRMED)
    return len(held)


def _looks_dead(draft: Draft, stamp: Stamp, heard: MemberId | None = None) -> int:
    return sum(
        _is_mute(draft.membership.pulses[name], member, stamp)
        for name, member in draft.membership.members.items()
        if name != heard
    )


def _is_mute(pulse: Pulse, member: Member, stamp: Stamp) -> bool:
    return not member.away and 2 * (stamp.clock - pulse.seen) > member.session_timeout_ms


def _too_many(draft: Draft, looks_dead: int) -> bool:
    policy = draft.policy
    if looks_dead < policy.blast_members:
        return False
    return 100 * looks_dead > policy.blast_percent * draft.population
