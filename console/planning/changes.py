"""Changes that a plan can ask about: a command, members that fail, members that join.

Each is made to happen to a rehearsed group, as it would in the log.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import assert_never

from console.errors import ExitCode, Failure
from console.names import unknown
from console.planning.rehearsal import Rehearsal
from console.views.sentences import several
from rebalance.groups.model.decisions import (
    CommandAnswered,
    EventRefused,
    EvictionsHeld,
    Outcome,
)
from rebalance.groups.model.events import Joined
from rebalance.groups.model.member import Member
from rebalance.groups.model.subscriptions import wish_of
from rebalance.ids import Epoch, Incarnation, Life, MemberId, TopicName
from streaming.wire.translation import event_of
from trimtab.protocol import Command, UndecodableRecord

_GOES = {"drain": "drains", "evict": "is evicted"}
_NOT_FOUND = ExitCode.NOT_FOUND
_LIFE = Incarnation("9999999999999-00000000")
"""Of members that come: later than any that is there."""


@dataclass(frozen=True, slots=True)
class Commanded:
    """An operator gives a command."""

    command: Command


@dataclass(frozen=True, slots=True)
class Lost:
    """Members fall silent."""

    what: str
    """As the user names them."""
    members: tuple[MemberId, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """Members come that are like one that is there."""

    count: int
    like: MemberId | None = None
    """None: they subscribe what most may own, in the rack of one of these, and are of no weight or
    capacity of their own."""
    topics: frozenset[TopicName] = frozenset()
    """If any is named: these."""


Change = Commanded | Lost | Added


@dataclass(slots=True)
class Told:
    """What is said of changes as they happen."""

    changes: list[str] = field(default_factory=list)
    why: dict[MemberId, str] = field(default_factory=dict)
    """What becomes of members that come or go."""
    added: list[MemberId] = field(default_factory=list)
    """Members that come; their names are made up."""
    notes: list[str] = field(default_factory=list)
    refused: bool = False


def happen(group: Rehearsal, change: Change, told: Told, epoch: Epoch) -> None:
    """Make a change happen; ``epoch`` is the one that the group is at."""
    match change:
        case Commanded(command):
            _command_given(group, command, told, epoch)
        case Lost():
            _lose(group, change, told)
        case Added():
            _add(group, change, told)
        case _:
            assert_never(change)
    group.settle()


def known(group: Rehearsal, member: str) -> MemberId:
    """Return a member's name.

    Raises:
        Failure: There is no such member.
    """
    members = group.state.membership.members
    if (name := MemberId(member)) not in members:
        raise Failure(unknown("member", member, members, of=group.state.name), _NOT_FOUND)
    return name


def _command_given(group: Rehearsal, command: Command, told: Told, epoch: Epoch) -> None:
    member = getattr(command, "member", None)
    if member is not None:
        known(group, member)
    about = member or getattr(command, "strategy", None) or ""
    said = f"{command.kind} {about}".rstrip()
    told.changes.append(said)
    if command.base_epoch not in (None, epoch):
        _refuse(told, said, "conflict", f"the group is at epoch {epoch}")
        return
    try:
        event = event_of(command.model_copy(update={"base_epoch": None}), group.now)
    except UndecodableRecord as error:
        _refuse(told, said, "refused", error.detail)
        return
    for decision in group.hear([event]):
        if isinstance(decision, CommandAnswered) and decision.outcome is not Outcome.DONE:
            _refuse(told, said, decision.outcome.value, decision.detail)
        elif isinstance(decision, CommandAnswered) and decision.detail:
            told.notes.append(f"{said}: {decision.detail}")
    if member is not None:
        told.why[MemberId(member)] = _GOES.get(command.kind, "may have queues again")


def _refuse(told: Told, said: str, outcome: str, detail: str) -> None:
    told.notes.append(f"{said}: {outcome}: {detail}")
    told.refused = True


def _lose(group: Rehearsal, lost: Lost, told: Told) -> None:
    members = group.state.membership.members
    told.changes.append(f"{lost.what} is lost: {several(lost.members)}")
    told.why |= dict.fromkeys(lost.members, "is lost")
    unguarded = [members[it].session_timeout_ms for it in lost.members if not members[it].guarded]
    if unguarded:
        seconds = group.policy.silence_ms(max(unguarded)) / 1_000
        about = f"{len(unguarded)} of them"
        told.notes.append(f"noticed after {seconds:g} s without heartbeats: {about}")
    if len(unguarded) < len(lost.members):
        told.notes.append("noticed at once: those that a guard watches")
    held = [it for it in group.silence(lost.members) if isinstance(it, EvictionsHeld)]
    if held:
        seconds = group.policy.blast_hold_ms / 1_000
        told.notes.append(
            f"{held[0].silent} of {len(members)} would be silent at once, so their evictions are "
            f"held for {seconds:g} s more, or until `groups approve`"
        )
        group.confirm()


def _add(group: Rehearsal, added: Added, told: Told) -> None:
    taken, model = group.state.membership.members, _model(group, added.like)
    free = (f"{model}-new-{number}" for number in range(1, added.count + len(taken) + 1))
    names = [MemberId(it) for it in free if it not in taken][: added.count]
    what = f"{several(names)} {'comes' if added.count == 1 else 'come'}"
    told.changes.append(what + _likeness(added, taken[model]))
    told.why |= dict.fromkeys(names, "comes")
    told.added += names
    if strange := added.topics - group.state.topics.routes.keys():
        told.notes.append(
            f"{several(sorted(strange))}: no member of the group subscribes this, so its queues "
            "are not known, and nothing of it is planned"
        )
    joins = [_join(group, name, added, taken[model]) for name in names]
    for decision in group.hear(joins):
        if isinstance(decision, EventRefused):
            told.notes.append(f"refused: {decision.reason.value}: {decision.detail}")
            told.refused = True


def _likeness(added: Added, model: Member) -> str:
    if added.like is not None:
        return f", like {added.like}"
    return f", in rack {model.rack}" if model.rack else ""


def _join(group: Rehearsal, name: MemberId, added: Added, model: Member) -> Joined:
    """Have a member say what its model has said, but for its name and instance."""
    topics, patterns = (added.topics, frozenset()) if added.topics else wish_of(model)
    return Joined(
        group.now,
        Life(name, _LIFE),
        1,
        topics,
        session_timeout_ms=model.session_timeout_ms,
        revocation_timeout_ms=model.revocation_timeout_ms,
        rack=model.rack,
        weight=model.weight if added.like else 1,
        capacity=model.capacity if added.like else None,
        mode=model.mode,
        eager=model.eager or bool(model.pops),
        patterns=patterns,
    )


def _model(group: Rehearsal, like: MemberId | None) -> MemberId:
    """Return the member that is named, or the first of those that may own what most may own.

    Those that come have its rack, and are named after it: to some strategies a name says in which
    room a member is, or on which side.

    Raises:
        Failure: There is none.
    """
    members = group.state.membership.members
    if like is not None:
        return known(group, like)
    if not members:
        raise Failure(f"{group.state.name} has no member that new members could copy", _NOT_FOUND)
    reach = group.reach()
    able = reach.keys() or members
    kinds = {name: (wish_of(members[name]), reach.get(name)) for name in sorted(able)}
    most = Counter(kinds.values())
    return max(kinds, key=lambda name: most[kinds[name]])
