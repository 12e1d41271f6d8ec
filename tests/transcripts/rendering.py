"""Decisions as lines of a transcript: everything that matters in them, nothing twice."""

from collections.abc import Iterator
from typing import assert_never

from rebalance.causes import Cause
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    ClaimRefused,
    ClientDoubled,
    CommandAnswered,
    Decision,
    EventRefused,
    EvictionsHeld,
    Freed,
    Granted,
    GroupAiled,
    HandedOver,
    MemberChanged,
    PauseEnded,
    Rebalanced,
    TopicLeftOut,
    TwinsMet,
)
from rebalance.groups.model.events import Portion
from rebalance.groups.model.overview import GroupSummarised, MemberSummary, TopicSummary
from tests.builders.notation import life_text, naming_text, queue_text


def lines(decision: Decision) -> Iterator[str]:
    """Write one decision."""
    match decision:
        case AssignmentIssued(member=member, incarnation=incarnation, epoch=epoch):
            who = life_text(member, incarnation)
            yield f"record {epoch} for {who}: {_portion(decision.portion)}"
        case AssignmentWithdrawn(member=member):
            yield f"record for {member} withdrawn"
        case Freed(member=member, incarnation=incarnation):
            namings = " ".join(map(naming_text, decision.namings))
            yield f"release for {life_text(member, incarnation)}: {namings}"
        case GroupSummarised():
            yield from _summary(decision)
        case EventRefused(reason=reason, detail=detail, stamp=stamp):
            yield f"refused #{stamp.position.offset}: {reason}: {detail}"
        case _:
            yield _entry(decision)


def _entry(  # noqa: C901, PLR0911, PLR0912 - one for each kind
    decision: Rebalanced
    | MemberChanged
    | HandedOver
    | Granted
    | TwinsMet
    | EvictionsHeld
    | ClaimRefused
    | TopicLeftOut
    | ClientDoubled
    | CommandAnswered
    | GroupAiled
    | PauseEnded,
) -> str:
    """Write an entry of the history."""
    match decision:
        case Rebalanced(epoch_before=before, epoch_after=after, moves=moves):
            size = f"{moves} moves, {decision.members} members, {decision.queues} queues"
            return f"rebalance {before} -> {after}: {size} ({_cause(decision.cause)})"
        case MemberChanged(member=member, incarnation=incarnation, change=change):
            until = decision.resting_until
            rest = "" if until is None else f", rests until {until}"
            return f"{life_text(member, incarnation)} {change}{rest} ({_cause(decision.cause)})"
        case HandedOver(from_member=giver, to_member=taker, ending=ending):
            queues = " ".join(map(queue_text, decision.queues))
            way = f"{giver} -> {taker}, {ending} after {decision.duration_ms} ms"
            idle = "" if decision.idle_ms is None else f", idle for {decision.idle_ms} ms at most"
            return f"handed over {queues} under {decision.epoch}: {way}{idle}"
        case Granted(member=member, incarnation=incarnation, queues=granted):
            return (
                f"granted to {life_text(member, incarnation)}: {' '.join(map(queue_text, granted))}"
            )
        case TwinsMet(rule=rule):
            return f"twins {life_text(*decision.older)} and {life_text(*decision.newer)}: {rule}"
        case EvictionsHeld(members=members, cause=cause):
            return f"held {' '.join(members)}: {cause.detail}"
        case ClaimRefused(member=member, queues=claimed):
            return f"claim of {member} refused: {' '.join(map(queue_text, claimed))}"
        case TopicLeftOut(topic=topic, queues=queues):
            return f"left out {queues} queues of {topic} ({_cause(decision.cause)})"
        case GroupAiled(reason=reason):
            return f"ailing: {reason}" if reason else "well again"
        case PauseEnded():
            return f"pause over ({_cause(decision.cause)})"
        case ClientDoubled(member=member, sign=sign, detail=detail):
            return f"{member} is two processes by its {sign}: {detail}"
        case CommandAnswered(verb=verb, outcome=outcome, detail=detail):
            return ": ".join(filter(None, [f"{verb} {decision.id} {outcome}", detail]))
        case _:
            assert_never(decision)


def _cause(cause: Cause) -> str:
    place = f"{cause.kind} of {cause.subject}, #{cause.position.offset}"
    return f"{place}: {cause.detail}" if cause.detail else place


def _portion(portion: Portion) -> str:
    told = []
    rows = (("hold", portion.hold), ("give", portion.give), ("share", portion.shared))
    for verb, grants in rows:
        if grants:
            told.append(" ".join([verb, *map(naming_text, grants)]))
    if portion.inherit:
        heirs = (
            f"{queue_text(line.queue)}@{line.epoch} from "
            f"{life_text(*line.predecessor.life)}@{line.predecessor.epoch}"
            for line in portion.inherit
        )
        told.append(f"inherit {', '.join(heirs)}")
    return "; ".join(told) or "nothing"


def _summary(group: GroupSummarised) -> Iterator[str]:
    epochs = f"{group.epoch}/{group.group_epoch}/{group.target_epoch}"
    counts = f"{group.assigned} assigned, {group.moving} moving, {group.unassigned} unassigned"
    topics = ", ".join(map(_topic, group.topics))
    members = ", ".join(map(_member, group.members)) or "nobody"
    paused = " paused" if group.paused else ""
    yield f"group {epochs} {group.phase}{paused}: {counts}; {topics}; {members}"
    own = group.overrides.own()
    if own:
        yield f"  its own: {' '.join(f'{name}={value}' for name, value in own.items())}"
    if group.patterns:
        yield f"  by pattern: {' '.join(group.patterns)}"
    if group.subscriptions > 1:
        yield f"  {group.subscriptions} different subscriptions"
    for why, count in group.shortage:
        yield f"  {count} without an owner: {why}"


def _topic(topic: TopicSummary) -> str:
    if topic.version == 0:
        return f"{topic.topic} awaited"
    less = f" ({topic.left_out} left out)" if topic.left_out else ""
    return f"{topic.topic} v{topic.version} {topic.queues if topic.exists else 'missing'}{less}"


def _member(member: MemberSummary) -> str:
    counts = f"{member.member} {member.hold}"
    if member.give or member.inherit:
        counts += f" -{member.give} +{member.inherit}"
    notes = {
        "draining": member.draining,
        "away": member.away,
        "held": member.held,
        "resting": member.resting,
        "standby": member.standby,
        "guarded": member.guarded,
    }
    return " ".join([counts, *(note for note, applies in notes.items() if applies)])
