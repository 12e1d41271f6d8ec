"""Topic ``history``: what happened and why, kept long.

One record for each rebalance, each member that came or went, each hand-over, each command, and each
trouble, in the order in which the brain noted them. People read it to understand; no program reads
it to decide.

Called by ``sinks.record_of``.
"""

from rebalance.groups.model.decisions import (
    ClaimRefused,
    ClientDoubled,
    CommandAnswered,
    EvictionsHeld,
    Granted,
    GroupAiled,
    HandedOver,
    MemberChanged,
    PauseEnded,
    Rebalanced,
    TopicLeftOut,
    TwinsMet,
)
from rebalance.ids import Epoch, GroupName
from sinks.causes import cause_of, text_of
from sinks.contract import Outlet, Record, keyed_by_group
from sinks.fitting import fitted
from trimtab import protocol
from trimtab.protocol import HISTORY, QueueRef, limits

_Entry = (
    protocol.RebalanceDone
    | protocol.MemberChanged
    | protocol.Handover
    | protocol.Granted
    | protocol.Conflict
    | protocol.Hold
    | protocol.Claim
    | protocol.LeftOut
    | protocol.Doubled
    | protocol.CommandAnswer
    | protocol.PauseEnded
)


def rebalanced(decision: Rebalanced, outlet: Outlet) -> Record:
    """Write that a new target was computed."""
    entry = protocol.RebalanceDone(
        group=decision.group,
        epoch_before=decision.epoch_before,
        epoch_after=decision.epoch_after,
        cause=cause_of(decision.cause),
        moves=decision.moves,
        members=decision.members,
        queues=decision.queues,
        at_ms=decision.at,
    )
    return _noted(entry, outlet, decision.epoch_after)


def member_changed(decision: MemberChanged, outlet: Outlet) -> Record:
    """Write that a member came, went or is going."""
    entry = protocol.MemberChanged(
        group=decision.group,
        member=decision.member,
        incarnation=decision.incarnation,
        event=decision.change.value,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
        resting_until_ms=decision.resting_until,
    )
    return _noted(entry, outlet)


def handed_over(decision: HandedOver, outlet: Outlet) -> Record:
    """Write that queues went from one member to another."""
    entry = protocol.Handover(
        group=decision.group,
        from_member=decision.from_member,
        to_member=decision.to_member,
        queues=tuple(QueueRef(*queue) for queue in decision.queues[: limits.QUEUES_PER_RECORD]),
        duration_ms=decision.duration_ms,
        idle_ms=decision.idle_ms,
        epoch=decision.epoch,
        ending=decision.ending.value,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    entry = fitted(entry, "queues")
    return _noted(entry, outlet)


def granted(decision: Granted, outlet: Outlet) -> Record:
    """Write that queues that nobody had went to a member."""
    entry = protocol.Granted(
        group=decision.group,
        member=decision.member,
        incarnation=decision.incarnation,
        epoch=decision.epoch,
        queues=tuple(QueueRef(*queue) for queue in decision.queues[: limits.QUEUES_PER_RECORD]),
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    return _noted(fitted(entry, "queues"), outlet)


def twins_met(decision: TwinsMet, outlet: Outlet) -> Record:
    """Write that two lives claimed one name."""
    (older, older_incarnation), (newer, newer_incarnation) = decision.older, decision.newer
    entry = protocol.Conflict(
        group=decision.group,
        older=older,
        older_incarnation=older_incarnation,
        newer=newer,
        newer_incarnation=newer_incarnation,
        rule=decision.rule.value,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    return _noted(entry, outlet)


def evictions_held(decision: EvictionsHeld, outlet: Outlet) -> Record:
    """Write that silent members are not believed to be dead yet."""
    entry = protocol.Hold(
        group=decision.group,
        members=decision.members[: limits.MEMBERS_PER_SUMMARY],
        silent=decision.silent,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    entry = fitted(entry, "members")
    return _noted(entry, outlet)


def claim_refused(decision: ClaimRefused, outlet: Outlet) -> Record:
    """Write that a member works on what it was never granted."""
    entry = protocol.Claim(
        group=decision.group,
        member=decision.member,
        incarnation=decision.incarnation,
        queues=tuple(QueueRef(*queue) for queue in decision.queues[: limits.QUEUES_PER_RECORD]),
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    entry = fitted(entry, "queues")
    return _noted(entry, outlet)


def topic_left_out(decision: TopicLeftOut, outlet: Outlet) -> Record:
    """Write that a group has no room for queues of a topic."""
    entry = protocol.LeftOut(
        group=decision.group,
        topic=decision.topic,
        queues=decision.queues,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    return _noted(entry, outlet)


def client_doubled(decision: ClientDoubled, outlet: Outlet) -> Record:
    """Write that two processes seem to be one RocketMQ client."""
    entry = protocol.Doubled(
        group=decision.group,
        member=decision.member,
        sign=decision.sign.value,
        detail=decision.detail,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    return _noted(entry, outlet)


def answered(decision: CommandAnswered, outlet: Outlet) -> Record:
    """Write what became of a command."""
    entry = protocol.CommandAnswer(
        group=decision.group,
        id=decision.id,
        command=decision.verb,
        principal=decision.principal,
        reason=decision.reason,
        outcome=decision.outcome.value,
        detail=text_of(decision.detail),
        epoch=decision.epoch,
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    return _noted(entry, outlet, decision.epoch)


def pause_ended(decision: PauseEnded, outlet: Outlet) -> Record:
    """Write that a pause is over."""
    entry = protocol.PauseEnded(
        group=decision.group, at_ms=decision.at, cause=cause_of(decision.cause)
    )
    return _noted(entry, outlet)


def ailed(decision: GroupAiled, outlet: Outlet) -> Record:
    """Write that something could not be done, or that all is well again."""
    entry = protocol.Ailment(
        subject=decision.group,
        reason=text_of(decision.reason),
        at_ms=decision.at,
        cause=cause_of(decision.cause),
    )
    return keyed_by_group(outlet, HISTORY, decision.group, entry, None)


def _noted(entry: _Entry, outlet: Outlet, epoch: Epoch | None = None) -> Record:
    return keyed_by_group(outlet, HISTORY, GroupName(entry.group), entry, epoch)
