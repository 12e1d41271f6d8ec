"""Explanation: the chain of causes that led to how things are, oldest first.

A decision names its cause, and entries of the history with the same cause belong together: the
member that joined, the rebalance that this set off, the queues that went from hand to hand. For one
queue the chain begins with the last time that it changed hands; for a group, with its last
rebalance, or the last one before a moment.

Its one rule: what the history does not hold any more is said to be missing, and never guessed.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from console.views.history import Noted, moment
from console.views.moments import said
from console.views.sentences import event, place, queue_name, reason, several
from trimtab.protocol import (
    Assignment,
    Cause,
    CommandAnswer,
    Granted,
    Group,
    Handover,
    HistoryRecord,
    InheritRef,
    MemberChanged,
    MemberSummary,
    RebalanceDone,
    TopicSummary,
    Verdict,
)

Row = dict[str, object]

_GONE = ("left", "away", "expired", "fenced")
"""What is said of a life that works on nothing any more."""
COLUMNS = ("at", "what", "because", "place")


class _Present(NamedTuple):
    """What a member is told of a queue now."""

    member: str
    epoch: int
    text: str
    because: str | None
    came: bool
    """It has had the queue since an earlier record: why, the way there says."""


def of_queue(
    queue: str,
    group: Group,
    told: Collection[Assignment],
    history: Iterable[tuple[str, HistoryRecord]],
) -> list[Row] | None:
    """Explain who has a queue, or why nobody has; None if nothing has ever been said of it."""
    now = _present(queue, told)
    steps = _way_to(queue, now, [Noted(*it) for it in history])
    if not now and not steps and not _is_of(queue, group, told):
        return None
    rows = [_row(it) for it in steps]
    came = _because(steps[-1]) if now and _drew(steps, now[0].epoch) else None
    if now and came is None:
        rows.append(_said("the history no longer shows when it was granted", None))
    people = {it.member: _how(it) for it in group.people}
    rows += [
        _said(f"now {it.text}{people.get(it.member, '')}", came if it.came else it.because)
        for it in now
    ]
    return [*rows, *([] if now else [_unowned(group)]), *_pause(group)]


def _how(person: MemberSummary) -> str:
    """Say what keeps a member from working as the others do."""
    words = {"draining": "draining", "away": "away", "held": "silent", "resting": "resting"}
    traits = [word for trait, word in words.items() if getattr(person, trait)]
    return f"; {person.member} is {' and '.join(traits)}" if traits else ""


def of_queue_at(queue: str, history: Iterable[tuple[str, HistoryRecord]], at_ms: int) -> list[Row]:
    """Explain who had a queue at a moment. Nothing, if the history does not go back to that."""
    noted = [it for it in (Noted(*each) for each in history) if moment(it.entry) <= at_ms]
    steps = _way_to(queue, (), noted)
    return [*map(_row, steps), *(_afterwards(steps[-1], noted) if steps else ())]


def _afterwards(came: Noted, noted: Sequence[Noted]) -> list[Row]:
    """Tell whether who got a queue went, and came back, before another one got it."""
    life: str | None = None
    rows = list[Row]()
    for it in noted:
        change = it.entry
        if it == came:
            rows = []
        if not isinstance(change, MemberChanged) or change.member != _taker(came.entry):
            continue
        if change.event in _GONE:
            life = None if change.incarnation == life else life
            rows = [_row(it)]
        elif change.event in {"joined", "rejoined"}:
            life = change.incarnation
            rows += [_row(it)] if rows else []
    return [*rows, _said("then nobody had it", None)] if rows and life is None else rows


def _taker(entry: HistoryRecord) -> str | None:
    """Return who got queues."""
    if isinstance(entry, Handover):
        return entry.to_member
    return entry.member if isinstance(entry, Granted) else None


def _way_to(queue: str, now: Sequence[_Present], noted: Sequence[Noted]) -> list[Noted]:
    """Return how a queue came to its owner; without one, how it came to the last."""
    owner, epoch = (now[0].member, now[0].epoch) if now else (None, None)
    way = list[Noted]()
    for it in reversed(noted):
        entry = it.entry
        if isinstance(entry, Handover | Granted) and _names(entry, queue):
            if owner in {None, _taker(entry)}:
                way = [*_same_cause(noted, entry.cause, before=it), it]
            break
    return way if epoch is None or _drew(way, epoch) else [*way, *_drawn(noted, epoch)]


def _drew(steps: Sequence[Noted], epoch: int) -> bool:
    """Whether the last step is that of a grant's epoch, and not of an earlier grant."""
    return bool(steps) and getattr(steps[-1].entry, "epoch", None) in {None, epoch}


def _is_of(queue: str, group: Group, told: Iterable[Assignment]) -> bool:
    """Whether a group subscribes the topic of a queue, and that has so many on no named broker."""
    topic, _, number = queue.rpartition("-")
    summary = group.topics.get(topic)
    if summary is None or not number.isdecimal() or int(number) >= summary.queues:
        return False
    return not any(it.broker for record in told for it in record.hold if it.topic == topic)


def _unowned(group: Group) -> Row:
    """Say that nobody has a queue, and all that the group's summary knows of the reason."""
    those = {
        trait: ", ".join(it.member for it in group.people if getattr(it, trait))
        for trait in ("draining", "away", "resting")
    }
    people = [f"{names}: {trait}" for trait, names in those.items() if names]
    state = f"{group.group} is {group.state}"
    why = "; ".join([state, *(group.shortage or ()), *people, reason(group.cause)])
    return _said("now nobody has it", why)


def of_group(
    group: Group, history: Iterable[tuple[str, HistoryRecord]], at_ms: int | None = None
) -> list[Row]:
    """Explain a group's last rebalance, or the last one up to a moment, and what came of it.

    Nothing, if there is a moment and the history goes back to no rebalance before it.
    """
    noted = [Noted(*it) for it in history]
    rebalances = [
        it
        for it in noted
        if isinstance(it.entry, RebalanceDone) and (at_ms is None or it.entry.at_ms <= at_ms)
    ]
    rows: list[Row] = []
    if rebalances:
        rows = [_row(it) for it in _same_cause(noted, rebalances[-1].entry.cause)]  # type: ignore[union-attr]  # a rebalance
    if at_ms is None:
        now: Row = {"at": said(group.at_ms), "what": f"now {event(group)}"}
        rows.append(now | {"because": reason(group.cause), "place": place(group.cause)})
        rows += [
            _said(f"{count} queues have no owner", why)
            for why, count in (group.shortage or {}).items()
        ]
        rows += [
            _said(f"it waits for topic {topic}", _awaited(it))
            for topic, it in sorted(group.topics.items())
            if it.awaited
        ]
        if group.ailment:
            rows.append(_said("it has a failure", group.ailment))
        if silent := [it.member for it in group.people if it.held]:
            rows.append(_said(f"silent, and not evicted yet: {several(silent)}", None))
        rows += _pause(group)
    return rows


def _pause(group: Group) -> list[Row]:
    """Say that nothing moves whatever happens, and until when: all else would mislead."""
    if not group.paused:
        return []
    until = said(group.paused_until_ms) or "somebody resumes it"
    return [_said(f"{group.group} is paused until {until}", "nothing moves, and nobody is evicted")]


def _awaited(topic: TopicSummary) -> str:
    if topic.version:
        return "it does not exist"
    return (
        "nobody has said yet which queues it has: if it is RocketMQ's, do its name servers answer?"
    )


def too_old(what: str, history: Sequence[tuple[str, HistoryRecord]]) -> str:
    """Say that the history holds nothing like this up to a moment, and where it begins."""
    first = min((moment(entry) for _, entry in history), default=None)
    begin = "it holds nothing of it" if first is None else f"it begins at {said(first)}"
    return f"the history has no {what} up to then: {begin}"


def _present(queue: str, records: Iterable[Assignment]) -> list[_Present]:
    """Return who has a queue now and who comes next.

    A record repeats what earlier ones granted, and its cause is that of what is new in it.
    """
    owners = [
        _Present(
            it.member,
            grant.epoch,
            f"{it.member} {verb} it under epoch {grant.epoch}",
            reason(it.cause),
            came=verb != "is to give" and grant.epoch != it.epoch,
        )
        for it in records
        for verb, grants in (
            ("holds", it.hold),
            ("is to give", it.give),
            ("shares", it.shared or ()),
        )
        for grant in grants
        if queue_name(grant) == queue
    ]
    heirs = [
        _Present(
            it.member,
            heir.epoch,
            _next(it.member, heir),
            reason(it.cause) if heir.epoch == it.epoch else None,
            came=False,
        )
        for it in records
        for heir in it.inherit
        if queue_name(heir) == queue
    ]
    return owners + heirs


def _next(member: str, heir: InheritRef) -> str:
    return f"{member} comes next, under epoch {heir.epoch}, when {heir.from_member} lets go"


def _names(entry: Handover | Granted, queue: str) -> bool:
    return any(queue_name(it) == queue for it in entry.queues)


def _drawn(noted: Sequence[Noted], epoch: int) -> list[Noted]:
    """Return what led to a grant that is no hand-over: the step that drew its epoch."""
    for it in noted:
        entry = it.entry
        if isinstance(entry, RebalanceDone) and entry.epoch_before < epoch <= entry.epoch_after:
            return [*_same_cause(noted, entry.cause, before=it), it]
    return []


def _same_cause(noted: Sequence[Noted], cause: Cause, before: Noted | None = None) -> list[Noted]:
    """Return what a cause brought about, in the order of the history, or what came before."""
    end = len(noted) if before is None else noted.index(before)
    kinds = (MemberChanged, RebalanceDone, Handover, Granted, CommandAnswer)
    telling = kinds if before is None else (MemberChanged, RebalanceDone, CommandAnswer)
    return [
        it
        for it in noted[:end]
        if isinstance(it.entry, telling) and _event(it.entry.cause) == _event(cause)
    ]


def _event(cause: Cause) -> tuple[object, ...]:
    """Return which event a cause is: its place in the log, or what it is if it has none."""
    if cause.topic is None:
        return (cause.kind, cause.subject, cause.detail)
    return (cause.kind, cause.topic, cause.partition, cause.offset)


def _row(noted: Noted) -> Row:
    return {
        "at": said(moment(noted.entry)),
        "what": event(noted.entry),
        "because": _because(noted),
        "place": noted.place,
    }


def _because(noted: Noted) -> str | None:
    return None if isinstance(noted.entry, Verdict) else reason(noted.entry.cause)


def _said(what: str, because: str | None) -> Row:
    """Describe how it is now; that has no time and no place of its own."""
    return {"at": None, "what": what, "because": because, "place": None}
