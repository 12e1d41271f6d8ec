"""Operators' commands, each obeyed once.

The log holds each command with who gave it and why. A command that was given in view of another
epoch is refused, and one that arrives twice counts once (faults G3, G4). One for an unknown group
is refused and leaves nothing behind. A command has no way of its own into the books: a drain is a
drain, an eviction a departure.

Called by ``step`` for each command, in log order. Its one rule: every command is answered once, in
the history.
"""

from collections.abc import Sequence
from typing import Final, assert_never

from rebalance.allocation import Allocator
from rebalance.causes import Cause, CauseKind
from rebalance.groups import last_workers, pace, remarks, routing
from rebalance.groups.members import mass_silence, membership, remains, rocketmq_clients
from rebalance.groups.model.commands import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    DrainMember,
    EvictMember,
    Forget,
    Pace,
    Pause,
    RebalanceNow,
    Resume,
    UndrainMember,
)
from rebalance.groups.model.decisions import CommandAnswered, MemberChange, Outcome
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Commanded, Moment
from rebalance.groups.model.member import Member
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.subscriptions import RETRIES
from rebalance.ids import Epoch, MemberId, Millis
from rebalance.stamp import Stamp, Ticked

_REMEMBERED = 64
"""Ids of past commands kept. A log repeats a record within seconds, people give a few an hour."""

_POPPED: Final = 100
"""Topics that a group may share by command: each member's state and record names them."""


class Refused(Exception):  # noqa: N818 - it is the answer
    """The group cannot do this."""


def obey(draft: Draft, event: Commanded, allocator: Allocator) -> None:
    """Obey a command and answer it."""
    if event.id in draft.rules.obeyed:
        return
    if draft.before.outbox.change_cause is None and not draft.outbox.changes:
        detail = "no such group, or long without members"
        _answer(draft, event, draft.before.epoch, Outcome.REFUSED, detail)
        return
    draft.rules.obeyed = (*draft.rules.obeyed, event.id)[-_REMEMBERED:]
    epoch = draft.next_epoch if draft.decided else draft.before.epoch
    if event.base_epoch not in (None, epoch):
        _answer(draft, event, epoch, Outcome.CONFLICT, f"the group is at epoch {epoch}")
        return
    outcome = Outcome.DONE
    try:
        detail = remarks.of_any(draft, event.command, _do(draft, event, allocator))
    except Refused as refusal:
        outcome, detail = Outcome.REFUSED, str(refusal)
        if _might_be_obeyed_later(draft, event):
            draft.outbox.touched, draft.outbox.refused_cause = True, _cause(event)
    else:
        draft.outbox.touched, draft.outbox.other_cause = True, _cause(event)
        remains.note(draft, event.stamp.clock)
    _answer(draft, event, epoch, outcome, detail)


def _might_be_obeyed_later(draft: Draft, refused: Commanded) -> bool:
    """Tell whether a start has to find that a command was answered.

    It may not see any more what forbade it. But it draws an epoch, with which one that names an
    epoch is in conflict; and who is not a member is none then either.
    """
    if not isinstance(refused.command, DrainMember | EvictMember):
        return False
    there = draft.membership.members.get(refused.command.member)
    return there is not None and refused.base_epoch is None


def _answer(draft: Draft, event: Commanded, epoch: Epoch, outcome: Outcome, detail: str) -> None:
    draft.outbox.notes.append(
        CommandAnswered(
            group=draft.before.name,
            id=event.id,
            verb=event.command.verb,
            principal=event.principal,
            reason=event.reason,
            outcome=outcome,
            detail=detail,
            epoch=epoch,
            at=event.stamp.appended,
            cause=_cause(event),
        )
    )


def _cause(event: Commanded) -> Cause:
    detail = f"{event.command.verb} by {event.principal}: {event.reason}"
    return Cause(CauseKind.COMMAND, event.id, event.stamp.position, detail)


def _do(draft: Draft, event: Commanded, allocator: Allocator) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each verb
    """Carry out the command; return what there is to say of it."""
    command, stamp = event.command, event.stamp
    match command:
        case Pause():
            return _pause(draft, command, stamp)
        case Resume():
            draft.resume(_cause(event))
        case DrainMember():
            _spare_the_last(draft, command, allocator)
            return _drain(draft, command, event)
        case UndrainMember():
            _undrain(draft, command, event)
        case EvictMember():
            _spare_the_last(draft, command, allocator)
            remark = last_workers.remark(draft, command.member)
            membership.depart(draft, command.member, MemberChange.FENCED, stamp, _cause(event))
            return remark
        case RebalanceNow():
            draft.outbox.changes.append(_cause(event))
            draft.outbox.answered.update(draft.membership.members.merged())  # if one was lost
            draft.target.hasten()
        case ChooseStrategy():
            draft.rules.strategy = command.strategy
            draft.outbox.changes.append(_cause(event))
            draft.target.defer()
            return remarks.of_strategy(draft, command)
        case ChoosePolicy():
            return _choose(draft, command, stamp)
        case ChooseMode():
            return _choose_mode(draft, command, event)
        case Pace():
            if not pace.is_asked(draft):
                raise Refused("its heartbeat_interval is not auto")
            if not pace.keep_to(draft, command, stamp):
                raise Refused("the members already beat at this interval")
        case Approve():
            return _approve(draft, event)
        case Forget():
            if draft.population:
                raise Refused(f"the group has {draft.population} members")
            if remains.are_worked_on(draft):
                raise Refused("a member that is not known may still work on its queues")
            draft.wipe()
            draft.rules.obeyed = (event.id,)
        case _:
            assert_never(command)
    return ""


def _pause(draft: Draft, command: Pause, stamp: Stamp) -> str:
    remark, until = remarks.of_pause(draft, command), None
    if command.until is not None:
        left = command.until - stamp.appended
        if left <= 0:
            raise Refused(f"its end was {-left / 1_000:.0f} s ago by Kafka's clock")
        until = Millis(stamp.clock + left)
        draft.expect_by(until)
    draft.rules.pause(until, command.until)
    if draft.membership.suspected:
        draft.expect_by(stamp.clock)  # they are held for another reason now
    return remark


def keep_time(draft: Draft, events: Sequence[Moment], now: Stamp, decided: Millis | None) -> None:
    """Let a pause end when people were told: the log clock stood while no controller was there.

    That it is over may have been decided and published before that is forgotten. One stamp may be
    wrong, and a pause would be over for good: the last tick has to agree with the last record.
    """
    ends = draft.rules.pause_ends
    if ends is None or draft.rules.paused_until is None:
        return
    if decided is not None and ends <= decided:
        draft.rules.end_pause()
        return
    ticks = [it.stamp.appended for it in events if isinstance(it, Ticked)]
    until = Millis(now.clock + max(0, ends - min([now.appended, *ticks[-1:]])))
    if until < draft.rules.paused_until:
        draft.rules.pause(until, ends)
        draft.expect_by(until)


def _member(draft: Draft, name: MemberId) -> Member:
    member = draft.membership.members.get(name)
    if member is None:
        raise Refused(f"{name} is not a member")
    return member


def _spare_the_last(draft: Draft, command: DrainMember | EvictMember, allocator: Allocator) -> None:
    """Refuse to stop whose queues would have no worker, unless it must be."""
    leaving = _member(draft, command.member)
    if command.force:
        return
    if reason := last_workers.why_not(draft, command, leaving, allocator):
        raise Refused(f"{reason}; use --force to stop it anyway")


def _drain(draft: Draft, command: DrainMember, event: Commanded) -> str:
    life = _member(draft, command.member).life(command.member)
    membership.dismiss(draft, command.member)
    draft.rules.drained.add(life, draft.policy.max_members)
    draft.outbox.changes.append(_cause(event))
    return last_workers.remark(draft, command.member)


def _undrain(draft: Draft, command: UndrainMember, event: Commanded) -> None:
    drained = _member(draft, command.member)
    if not drained.dismissed:
        raise Refused(f"no command drains {command.member}")
    membership.readmit(draft, command.member)
    draft.rules.drained.drop(drained.life(command.member))
    draft.outbox.changes.append(_cause(event))


def _choose(draft: Draft, command: ChoosePolicy, stamp: Stamp) -> str:
    """Set the group's own policy; members whose heartbeat interval changes are told."""
    _check(draft, command.overrides)
    before = draft.policy
    draft.choose(command.overrides)
    mass_silence.hold_no_longer(draft)
    pace.follow(draft, before, stamp)
    draft.expect_by(stamp.clock)
    return remarks.of_policy(draft, command.overrides)


def _check(draft: Draft, overrides: Overrides) -> None:
    """Refuse rules that no policy may have."""
    try:
        overrides.over(draft.general)
    except ValueError as contradiction:
        raise Refused(str(contradiction)) from contradiction


def _choose_mode(draft: Draft, command: ChooseMode, event: Commanded) -> str:
    """Have RocketMQ's clients share a topic's queues, or own them again.

    Neither while no target is computed: nobody would own them again, so what undoes it would be
    refused.
    """
    if command.topic.startswith(RETRIES):
        raise Refused("retry topics are always pulled and cannot be shared")
    rest = {topic: it for topic, it in draft.rules.popped.items() if topic != command.topic}
    if not command.pops and len(rest) == len(draft.rules.popped):
        raise Refused(f"{command.topic} is not shared by any command")
    if draft.rules.paused or draft.ailment is not None:
        reason = "the group is paused or has a failure, so no member could own the queues"
        raise Refused(reason)
    if command.pops and len(rest) >= _POPPED:
        raise Refused(f"the group shares {len(rest)} topics by command, the limit")
    _check(draft, Overrides(share_number=command.share_number))
    draft.rules.popped = {**rest, command.topic: command.share_number} if command.pops else rest
    rocketmq_clients.share(draft, frozenset(draft.rules.popped))
    draft.outbox.changes.append(_cause(event))
    draft.target.hasten()
    return remarks.of_mode(draft, command)


def _approve(draft: Draft, event: Commanded) -> str:
    evictions, topics = mass_silence.confirm(draft), routing.confirm(draft)
    if evictions == topics == 0:
        raise Refused("no eviction and no route waits for approval")
    draft.expect_by(event.stamp.clock)
    return f"{evictions} held evictions, {topics} topics in doubt"
