"""The stored form of a group, without what every beat changes (``beats``).

Queues and members are named once, and stand for themselves by their places in those two lists.
Whatever names them is converted first, because the lists grow meanwhile. Used by ``packed``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import chain
from operator import attrgetter
from typing import Final

from msgspec import field

from rebalance.groups.model.handover import Handover
from rebalance.groups.model.member import Pulse
from rebalance.groups.model.membership import Membership
from rebalance.groups.model.outbox import Outbox
from rebalance.groups.model.state import Ailment, GroupState
from rebalance.groups.model.target import Target
from rebalance.ids import Epoch, GroupName, Incarnation, Life, MemberId, Millis, Queue, TopicName
from streaming.cell.stored.beats import BeatsForm
from streaming.cell.stored.books import BooksForm, Members, books, books_form
from streaming.cell.stored.causes import CauseForm, cause, cause_form
from streaming.cell.stored.form import Form, Place, Places
from streaming.cell.stored.members import MembersForm, members, members_form
from streaming.cell.stored.queues import (
    QueuesForm,
    TopicsForm,
    chosen,
    queues,
    queues_form,
    topics,
    topics_form,
)
from streaming.cell.stored.rules import RulesForm, rules, rules_form


class AilmentForm(Form):
    """Why something could not be done."""

    reason: str
    tried: Epoch | None
    until: Millis | None


class TargetForm(Form):
    """Who should own what: a column of queues, and one of names."""

    queues: list[Place]
    owners: list[Place]
    epoch: Epoch
    at: Millis | None
    shortage: dict[str, int]
    heired: list[Place] | None
    """The queues that have a standing heir; None: the same."""
    heirs: list[Place]
    """The standing heirs of those."""
    asked: str = ""


class HandoverForm(Form):
    """Who may work on what, and what was asked of whom."""

    books: BooksForm
    loose: list[Place]
    posted: dict[Epoch, Millis | None]
    reasons: dict[Epoch, CauseForm]
    strangers: list[tuple[Place, Incarnation, Millis]] = field(default_factory=list)


class GroupForm(Form):
    """A group."""

    name: GroupName
    epoch: Epoch
    group_epoch: Epoch
    names: list[MemberId]
    """The members, and whoever else is named in the target or the books."""
    queues: QueuesForm
    members: MembersForm
    topics: TopicsForm
    target: TargetForm
    handover: HandoverForm
    rules: RulesForm
    cause: CauseForm | None
    occasion: CauseForm | None
    ailment: AilmentForm | None
    share_numbers: dict[TopicName, int] = field(default_factory=dict)


def group_form(state: GroupState) -> GroupForm:
    """Return what is stored of a group."""
    names = Places(state.membership.members)
    places = Places(chain.from_iterable(it.queues for it in state.topics.routes.values()))
    topics = topics_form(state.topics, places)
    target = _target_form(state.target, places, names)
    handover = _handover_form(state.handover, places, names, state.membership.members)
    said, ailment = state.outbox, state.ailment
    return GroupForm(
        name=state.name,
        epoch=state.epoch,
        group_epoch=state.group_epoch,
        names=list(names),  # as these have been named
        queues=queues_form(places),
        members=members_form(state.membership),
        topics=topics,
        target=target,
        handover=handover,
        rules=rules_form(state.rules),
        cause=None if said.change_cause is None else cause_form(said.change_cause),
        occasion=None if said.epoch_cause is None else cause_form(said.epoch_cause),
        ailment=None if ailment is None else _ailment_form(ailment),
        share_numbers=dict(said.share_numbers),
    )


def group(form: GroupForm, beats: BeatsForm, deadline: Millis | None) -> GroupState:
    """Return the group that was stored."""
    known = queues(form.queues)
    membership = members(form.members, form.names, beats)
    return GroupState(
        name=form.name,
        epoch=form.epoch,
        group_epoch=form.group_epoch,
        membership=membership,
        topics=topics(form.topics, known),
        target=_target(form.target, known, form.names),
        handover=_handover(form.handover, known, form.names, membership.members),
        rules=rules(form.rules),
        outbox=Outbox(
            change_cause=None if form.cause is None else cause(form.cause),
            epoch_cause=None if form.occasion is None else cause(form.occasion),
            unposted=beats.unposted,
            share_numbers=form.share_numbers,
        ),
        ailment=None if form.ailment is None else _ailment(form.ailment),
        deadline=deadline,
    )


def with_beats(
    state: GroupState,
    pulses: Mapping[MemberId, Pulse],
    unposted: tuple[MemberId, ...],
    deadline: Millis | None,
) -> GroupState:
    """Return a group with other values for all that a beat changes."""
    was, said = state.membership, state.outbox
    return GroupState(
        name=state.name,
        epoch=state.epoch,
        group_epoch=state.group_epoch,
        membership=Membership(
            members=was.members,
            pulses=pulses,
            suspected=was.suspected,
            flaps=was.flaps,
            departures=was.departures,
            empty_since=was.empty_since,
        ),
        topics=state.topics,
        target=state.target,
        handover=state.handover,
        rules=state.rules,
        outbox=Outbox(
            change_cause=said.change_cause,
            epoch_cause=said.epoch_cause,
            unposted=unposted,
            share_numbers=said.share_numbers,
        ),
        ailment=state.ailment,
        deadline=deadline,
    )


def _target_form(target: Target, places: Places[Queue], names: Places[MemberId]) -> TargetForm:
    owners = dict(target.owners.items())  # a strategy may answer in a form of its own
    heirs = {queue: target.heirs[queue] for queue in owners if queue in target.heirs}
    heirs |= target.heirs if len(heirs) < len(target.heirs) else {}
    return TargetForm(
        queues=places.of(owners),
        owners=names.of(owners.values()),
        epoch=target.epoch,
        at=target.at,
        shortage=dict(target.shortage),
        heired=None if [*heirs] == [*owners] else places.of(heirs),
        heirs=names.of(heirs.values()),
        asked=target.asked,
    )


def _target(form: TargetForm, known: Sequence[Queue], names: Sequence[MemberId]) -> Target:
    queues = chosen(known, form.queues)
    heired = queues if form.heired is None else chosen(known, form.heired)
    return Target(
        owners=dict(zip(queues, map(names.__getitem__, form.owners), strict=True)),
        epoch=form.epoch,
        at=form.at,
        shortage=form.shortage,
        heirs=dict(zip(heired, map(names.__getitem__, form.heirs), strict=True)),
        asked=form.asked,
    )


def _handover_form(
    handover: Handover, places: Places[Queue], names: Places[MemberId], members: Members
) -> HandoverForm:
    return HandoverForm(
        books=books_form(handover.books, places, names, members),
        loose=places.of(handover.loose),
        posted=dict(handover.posted),
        reasons={epoch: cause_form(it) for epoch, it in handover.asked_causes.items()},
        strangers=[
            (names[life.member], life.incarnation, heard)
            for life, heard in handover.strangers.items()
        ],
    )


def _handover(
    form: HandoverForm, known: Sequence[Queue], names: Sequence[MemberId], members: Members
) -> Handover:
    return Handover(
        books=books(form.books, known, names, members),
        loose=chosen(known, form.loose),
        posted=form.posted,
        asked_causes={epoch: cause(it) for epoch, it in form.reasons.items()},
        strangers={Life(names[name], life): heard for name, life, heard in form.strangers},
    )


def _ailment_form(ailment: Ailment) -> AilmentForm:
    return AilmentForm(ailment.reason, ailment.tried, ailment.withheld_until)


def _ailment(form: AilmentForm) -> Ailment:
    return Ailment(reason=form.reason, tried=form.tried, withheld_until=form.until)


_WITHOUT_BEATS: Final = [
    *(it.name for it in fields(GroupState) if it.name not in {"membership", "outbox", "deadline"}),
    *(f"membership.{it.name}" for it in fields(Membership) if it.name != "pulses"),
    *(f"outbox.{it.name}" for it in fields(Outbox) if it.name != "unposted"),
]
without_beats: Final = attrgetter(*_WITHOUT_BEATS)
"""All that a beat leaves alone."""
