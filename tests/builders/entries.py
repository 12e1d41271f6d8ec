"""Entries: what the auditor is shown of a world, by its ticks, events and decisions.

A plain translation, field by field. It exists so that the auditor need not know the brain's types;
recorded topics reach it by ``audit.wire`` instead.
"""

from typing import assert_never

from audit import history
from audit.history import Entry, Grant, Inheritance, Life, Place
from rebalance.causes import CauseKind
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    Decision,
    EvictionsHeld,
    MemberChange,
    MemberChanged,
)
from rebalance.groups.model.events import (
    BeatSeen,
    Commanded,
    DrainAsked,
    Event,
    Joined,
    Left,
    MemberEvent,
    Mode,
    Registered,
    Released,
    RouteObserved,
    Unregistered,
)
from rebalance.groups.model.overview import GroupSummarised
from rebalance.ids import Epoch, Naming, Position, Queue
from rebalance.stamp import Stamp
from streaming.cell.gate import tick_of
from streaming.wire.rows import Row
from tests.builders.sessions import GROUP

_REMOVED = {MemberChange.EXPIRED, MemberChange.FENCED, MemberChange.LEFT}


def ticked(row: Row) -> Entry:
    """A tick was read."""
    at, tick = Place(row.topic, row.partition, row.offset, row.appended_ms), tick_of(row)
    return (
        history.Ticked(at, tick.start or "", tick.number, tick.seen) if tick else history.Ticked(at)
    )


def heard(event: Event) -> Entry:
    """An event was read."""
    at = _place(event.stamp)
    match event:
        case Joined() | BeatSeen() | DrainAsked() | Left() | Released():
            return _of_a_member(event, at, Life(*event.life))
        case Registered():
            life = Life(*event.life)
            return history.Joined(at, GROUP, life, 0, event.topics or frozenset())
        case Unregistered():
            return history.Left(at, GROUP, Life(*event.life), 0)
        case RouteObserved():
            return history.Routed(at, GROUP, event.topic, event.version, event.queues)
        case Commanded():
            return history.Commanded(at, GROUP, event.command.verb)
        case _:
            assert_never(event)


def _of_a_member(event: MemberEvent | Released, at: Place, life: Life) -> Entry:
    match event:
        case Joined():
            topics = frozenset[str](event.topics)
            wishes = (event.weight, event.capacity, frozenset[str](event.patterns))
            commons = (event.mode is Mode.BROADCASTING, event.mode is Mode.SHARED)
            manners = (event.eager, *commons)
            return history.Joined(at, GROUP, life, event.sequence, topics, *wishes, *manners)
        case BeatSeen():
            owned = None if event.owned is None else _grants(event.owned)
            return history.BeatSeen(at, GROUP, life, event.sequence, event.epoch, owned)
        case Released():
            return history.Released(at, GROUP, life, tuple(map(_naming, event.namings)))
        case DrainAsked():
            return history.DrainAsked(at, GROUP, life, event.sequence)
        case Left():
            return history.Left(at, GROUP, life, event.sequence)
        case _:
            assert_never(event)


def published(decision: Decision, at: Place) -> Entry | None:
    """A decision was published."""
    match decision:
        case AssignmentIssued():
            return _issued(decision, at)
        case AssignmentWithdrawn():
            return history.Withdrawn(at, GROUP, decision.member)
        case MemberChanged() if decision.change in _REMOVED:
            life = Life(*decision.life)
            cause = _position(decision.cause.position)
            overdue = decision.cause.kind is CauseKind.FENCE
            how = "overdue" if overdue else decision.change.value
            return history.Removed(at, GROUP, life, how, cause)
        case GroupSummarised():
            return _summarised(decision, at)
        case EvictionsHeld():
            return history.Held(at, GROUP, frozenset(decision.members))
    return None


def _summarised(decision: GroupSummarised, at: Place) -> Entry:
    apart = frozenset[str](
        each.member
        for each in decision.members
        if each.draining or each.away or each.held or each.resting
    )
    waiting = decision.paused or any(each.away for each in decision.members)
    settled = decision.target_epoch == decision.group_epoch and not waiting
    epoch, phase = decision.epoch, decision.phase.value
    own = decision.overrides
    blast = (own.blast_members, own.blast_percent, own.blast_hold_ms)
    people = tuple(
        (str(each.member), (each.hold, each.give, each.inherit + each.heir_of))
        for each in decision.members
    )
    left_out = frozenset[str](topic.topic for topic in decision.topics if topic.left_out)
    head = (at, GROUP, epoch, phase, decision)
    popped = frozenset[str](topic.topic for topic in decision.topics if topic.popped)
    return history.Summarised(*head, apart, settled, blast, people, left_out, popped)


def _issued(decision: AssignmentIssued, at: Place) -> Entry:
    portion = decision.portion
    return history.Issued(
        at,
        GROUP,
        Life(*decision.life),
        decision.epoch,
        _holdings(portion.hold),
        _holdings(portion.give),
        tuple(
            Inheritance(
                row.queue,
                row.epoch,
                Life(*row.predecessor.life),
                row.predecessor.epoch,
            )
            for row in portion.inherit
        ),
        decision.session_timeout_ms,
        decision,
        unheard=decision.join_again,
        heartbeat_interval_ms=decision.heartbeat_interval_ms,
        heirs=tuple(naming.next for naming in portion.hold + portion.give),
        shared=_holdings(portion.shared),
    )


def _naming(naming: Naming) -> history.Naming:
    to = None if naming.to is None else Life(*naming.to)
    return history.Naming(naming.queue, naming.epoch, naming.next, to)


def _holdings(namings: tuple[Naming, ...]) -> tuple[Grant, ...]:
    return tuple(Grant(it.queue, it.epoch) for it in namings)


def _grants(rows: tuple[tuple[Queue, Epoch], ...]) -> tuple[Grant, ...]:
    return tuple(Grant(queue, epoch) for queue, epoch in rows)


def _place(stamp: Stamp) -> Place:
    return Place(*stamp.position, stamp.appended)


def _position(position: Position) -> Place:
    return Place(*position)
