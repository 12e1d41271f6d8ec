"""Flapping: members that come and go again and again.

Each departure counts one, and the count is halved with each half-life, as BGP damps routes that
flap. A member that returns with too high a count rests: it is a member, heard and answered, but
gets no queues until its count has fallen to half the limit, so that the others' queues do not move
(faults C11, C12). It keeps a topic that no other member could work on; so when all members would
have to rest, none does.

Called by ``membership`` at each departure, by ``entry`` at each return, and by ``timers`` when a
rest ends or nothing is left to remember. A past belongs to the instance, or else to the member id,
and is forgotten in log time. Where twins are told apart a member id may be that of a whole fleet:
there a past is of one process, and one that is started again and again rests only by its instance.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import MemberChange, MemberChanged
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Flaps, Member, Pulse
from rebalance.groups.model.policy import TwinRule
from rebalance.ids import InstanceId, Life, MemberId, Millis
from rebalance.stamp import Stamp


@dataclass(slots=True)
class _Weeding:
    """What this module keeps for one step."""

    at: Millis | None = None
    """When it last looked through its book, which is full."""


_TOGETHER_MS = 500
"""No process starts again so soon. But a member that Kafka does not hear begins a new life every
eight seconds. The joins of several wait in its client, and come together when Kafka is back."""
_CEILING = 4
"""A count stops at so many times the limit: a rest of three half-lives is punishment enough."""


def went(draft: Draft, name: MemberId, member: Member, clock: Millis) -> None:
    """Count a departure, or a life that ended by a restart.

    Names that come and go only once may flood the book; when it is full, new ones are not entered.
    """
    past, policy = _past(draft, member.life(name), member.instance), draft.policy
    if draft.membership.flaps.get(past) is None and not _has_room(draft, clock):
        return
    flaps = _recalled(draft, past, clock)
    count = min(flaps.count + 1, _CEILING * policy.flap_limit)
    draft.membership.flaps.put(past, Flaps(count, flaps.since))


def was_there(pulse: Pulse, clock: Millis) -> bool:
    """Tell whether a life that a younger one ends now was more than a join that came with it."""
    return pulse.sequence >= 0 or clock - pulse.seen >= _TOGETHER_MS


class Rest(NamedTuple):
    """What a member that comes (back) too often has to keep."""

    until: Millis
    remark: str
    """For people, who may know why it comes and goes."""


def rest(draft: Draft, life: Life, instance: InstanceId | None, clock: Millis) -> Rest | None:
    """Return whether a member that comes (back) now has to rest."""
    policy, flaps = draft.policy, _recalled(draft, _past(draft, life, instance), clock)
    if flaps.count < policy.flap_limit:
        return None
    half_lives = 0
    while flaps.count >> half_lives > policy.flap_limit // 2:
        half_lives += 1
    until = Millis(flaps.since + half_lives * policy.flap_half_life_ms)
    return Rest(until, f"it comes and goes, {flaps.count} times lately")


def wake(draft: Draft, stamp: Stamp) -> None:
    """Let members take part again whose rest is over."""
    for name, member in draft.membership.members.items():
        if member.resting_until is not None and stamp.clock >= member.resting_until:
            draft.membership.members.put(name, replace(member, resting_until=None))
            cause, life = Cause(CauseKind.REST, name, stamp.position), member.life(name)
            draft.outbox.changes.append(cause)
            draft.outbox.notes.append(
                MemberChanged(draft.before.name, life, MemberChange.RESTED, stamp.appended, cause)
            )


def deadlines(draft: Draft) -> Iterator[Millis]:
    """Return when everything has faded away."""
    half_life_ms = draft.policy.flap_half_life_ms
    ends = [
        it.since + it.count.bit_length() * half_life_ms for it in draft.membership.flaps.values()
    ]
    if ends:
        yield Millis(max(ends))


def sweep(draft: Draft) -> None:
    """Drop everything: its deadline has passed."""
    draft.membership.flaps.clear()


def forget(draft: Draft, clock: Millis) -> None:
    """Drop what has faded away, so that what is kept stays as small as the group."""
    if draft.membership.flaps.written:
        _drop_faded(draft, clock)


def _has_room(draft: Draft, clock: Millis) -> bool:
    """Tell whether there is room for one more; what has faded is dropped once a clock reading.

    In a flood of names each of them would weed it again.
    """
    weeding = draft.scratch(_Weeding)
    if len(draft.membership.flaps) >= draft.policy.max_members and weeding.at != clock:
        weeding.at = clock
        _drop_faded(draft, clock)
    return len(draft.membership.flaps) < draft.policy.max_members


def _drop_faded(draft: Draft, clock: Millis) -> None:
    for past, flaps in list(draft.membership.flaps.items()):
        if _faded(flaps, clock, draft.policy.flap_half_life_ms).count == 0:
            draft.membership.flaps.remove(past)


def _past(draft: Draft, life: Life, instance: InstanceId | None) -> str:
    """Whose past it is: the instance's, unless a whole fleet shares that instance."""
    shared = draft.policy.on_twin_instance is TwinRule.SEPARATE
    return life.process if instance is None or shared else instance


def _recalled(draft: Draft, past: str, clock: Millis) -> Flaps:
    known = draft.membership.flaps.get(past)
    if known is None:
        return Flaps(0, clock)
    faded = _faded(known, clock, draft.policy.flap_half_life_ms)
    return faded if faded.count else Flaps(0, clock)


def _faded(flaps: Flaps, clock: Millis, half_life_ms: Millis) -> Flaps:
    elapsed = (clock - flaps.since) // half_life_ms
    return Flaps(flaps.count >> elapsed, Millis(flaps.since + elapsed * half_life_ms))
