"""The stored forms of members, and of what is known of those that went.

Names are not here: they are the first of the group's names. Part of ``group``.
"""

from typing import Final

from rebalance.groups.model.events import Mode
from rebalance.groups.model.member import Departure, Doubled, Flaps, Member, Saying
from rebalance.groups.model.membership import Membership
from rebalance.ids import (
    Epoch,
    Incarnation,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Pattern,
    TopicName,
)
from streaming.cell.stored.beats import BeatsForm, pulses
from streaming.cell.stored.form import Form

_MODES: Final = {1: Mode.CLUSTERING, 2: Mode.BROADCASTING, 3: Mode.SHARED}
_NUMBERS: Final = {mode: number for number, mode in _MODES.items()}


class SayingForm(Form):
    """What a RocketMQ client says."""

    topics: list[TopicName]
    mode: int
    company: int


class DoubledForm(Form):
    """What looks as if two processes were one client."""

    beats: tuple[Millis, ...]
    epoch: Epoch
    said: SayingForm | None
    before: SayingForm | None
    swaps: int
    swapped_at: Millis
    noted_at: Millis | None


class MemberForm(Form):
    """A member, without its name and its pulse."""

    incarnation: Incarnation
    sequence: int
    topics: list[TopicName]
    session_timeout_ms: Millis
    revocation_timeout_ms: Millis
    instance: InstanceId | None
    rack: str
    weight: int
    capacity: int | None
    mode: int
    eager: bool
    since: Epoch
    draining: bool
    dismissed: bool
    away: bool
    resting_until: Millis | None
    challenger: Life | None
    patterns: list[Pattern]
    presumed: bool
    awaits_mark: bool
    company: int
    doubled: DoubledForm | None
    guarded: bool = False
    pops: list[TopicName] | None = None
    """None: nothing."""
    leaves: bool = False
    on_hold_alone: bool = False


class FlapsForm(Form):
    """How often a member went lately."""

    count: int
    since: Millis


class DepartureForm(Form):
    """The last life of a member that has left."""

    incarnation: Incarnation
    sequence: int
    at: Millis


class MembersForm(Form):
    """Who is in the group, and was: the pulses are apart."""

    members: list[MemberForm]
    """Their names are the first of the group's."""
    suspected: dict[MemberId, Millis]
    flaps: dict[str, FlapsForm]
    departures: dict[MemberId, DepartureForm]
    empty_since: Millis | None


def members_form(membership: Membership) -> MembersForm:
    """Return what is stored of the membership."""
    return MembersForm(
        members=[_member_form(it) for it in membership.members.values()],
        suspected=dict(membership.suspected),
        flaps={who: _flaps_form(it) for who, it in membership.flaps.items()},
        departures={who: _departure_form(it) for who, it in membership.departures.items()},
        empty_since=membership.empty_since,
    )


def members(form: MembersForm, names: list[MemberId], beats: BeatsForm) -> Membership:
    """Return the membership that was stored."""
    present = names[: len(form.members)]
    return Membership(
        members=dict(zip(present, map(_member, form.members), strict=True)),
        pulses=pulses(beats, present),
        suspected=form.suspected,
        flaps={who: _flaps(it) for who, it in form.flaps.items()},
        departures={who: _departure(it) for who, it in form.departures.items()},
        empty_since=form.empty_since,
    )


def _member_form(member: Member) -> MemberForm:
    return MemberForm(
        incarnation=member.incarnation,
        sequence=member.sequence,
        topics=sorted(member.topics),
        session_timeout_ms=member.session_timeout_ms,
        revocation_timeout_ms=member.revocation_timeout_ms,
        instance=member.instance,
        rack=member.rack,
        weight=member.weight,
        capacity=member.capacity,
        mode=_NUMBERS[member.mode],
        eager=member.eager,
        since=member.since,
        draining=member.draining,
        dismissed=member.dismissed,
        away=member.away,
        resting_until=member.resting_until,
        challenger=member.challenger,
        patterns=sorted(member.patterns),
        presumed=member.presumed,
        awaits_mark=member.awaits_mark,
        company=member.groups_hash,
        doubled=None if member.doubled is None else _doubled_form(member.doubled),
        guarded=member.guarded,
        pops=sorted(member.pops) or None,
        leaves=member.leaves,
        on_hold_alone=member.on_hold_alone,
    )


def _member(form: MemberForm) -> Member:
    return Member(
        incarnation=form.incarnation,
        sequence=form.sequence,
        topics=frozenset(form.topics),
        session_timeout_ms=form.session_timeout_ms,
        revocation_timeout_ms=form.revocation_timeout_ms,
        instance=form.instance,
        rack=form.rack,
        weight=form.weight,
        capacity=form.capacity,
        mode=_MODES[form.mode],
        eager=form.eager,
        since=form.since,
        draining=form.draining,
        dismissed=form.dismissed,
        away=form.away,
        resting_until=form.resting_until,
        challenger=form.challenger,
        patterns=frozenset(form.patterns),
        presumed=form.presumed,
        awaits_mark=form.awaits_mark,
        groups_hash=form.company,
        doubled=None if form.doubled is None else _doubled(form.doubled),
        guarded=form.guarded,
        pops=frozenset(form.pops or ()),
        leaves=form.leaves,
        on_hold_alone=form.on_hold_alone,
    )


def _flaps_form(flaps: Flaps) -> FlapsForm:
    return FlapsForm(flaps.count, flaps.since)


def _flaps(form: FlapsForm) -> Flaps:
    return Flaps(count=form.count, since=form.since)


def _departure_form(departure: Departure) -> DepartureForm:
    return DepartureForm(departure.incarnation, departure.sequence, departure.at)


def _departure(form: DepartureForm) -> Departure:
    return Departure(incarnation=form.incarnation, sequence=form.sequence, at=form.at)


def _doubled_form(doubled: Doubled) -> DoubledForm:
    return DoubledForm(
        beats=doubled.beats,
        epoch=doubled.epoch,
        said=None if doubled.said is None else _saying_form(doubled.said),
        before=None if doubled.before is None else _saying_form(doubled.before),
        swaps=doubled.swaps,
        swapped_at=doubled.swapped_at,
        noted_at=doubled.noted_at,
    )


def _doubled(form: DoubledForm) -> Doubled:
    return Doubled(
        beats=form.beats,
        epoch=form.epoch,
        said=None if form.said is None else _saying(form.said),
        before=None if form.before is None else _saying(form.before),
        swaps=form.swaps,
        swapped_at=form.swapped_at,
        noted_at=form.noted_at,
    )


def _saying_form(saying: Saying) -> SayingForm:
    topics, mode, groups_hash = saying
    return SayingForm(sorted(topics), _NUMBERS[mode], groups_hash)


def _saying(form: SayingForm) -> Saying:
    return frozenset(form.topics), _MODES[form.mode], form.company
