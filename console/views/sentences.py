"""Sentences: a published record as a line that a person can read, with its cause.

Called by the other views and by `trimtab replay`. A sentence says what the record says and adds
nothing.
"""

from collections.abc import Iterable
from functools import singledispatch
from typing import Any, Protocol

from console.briefs import BriefCause
from console.views import moments
from trimtab import protocol
from trimtab.protocol import Cause, HolderRef, InheritRef, QueueRef

_COMMAND = "command"
_NAMED = 3
"""How many of what may be thousands are named."""


class _OfAQueue(Protocol):
    """Whatever begins with a queue."""

    @property
    def topic(self) -> str: ...
    @property
    def broker(self) -> str: ...
    @property
    def id(self) -> int: ...


class _Placed(Protocol):
    """Whatever says where a record stands: a cause, or a dead letter."""

    @property
    def topic(self) -> str | None: ...
    @property
    def partition(self) -> int | None: ...
    @property
    def offset(self) -> int | None: ...


def told(record: protocol.Record) -> str:
    """Write a record on one line: of which group, what, and why."""
    group, cause = getattr(record, "group", None), getattr(record, "cause", None)
    about = f"{group}: " if isinstance(group, str) else ""
    why = f" ({reason(cause)})" if isinstance(cause, Cause) else ""
    return f"{about}{event(record)}{why}"


def reason(cause: Cause) -> str:
    """Write a cause, and where it stands in the log."""
    at = place(cause)
    detail = f": {cause.detail}" if cause.detail else ""
    return f"{_kind(cause)}{f', {at}' if at else ''}{detail}"


def source(cause: Cause | BriefCause) -> str:
    """Write what kind of event a cause is, and whom it is about; of a command what and whose."""
    told = cause.kind == _COMMAND and cause.detail
    return f"{_kind(cause)}: {cause.detail}" if told else _kind(cause)


def _kind(cause: Cause | BriefCause) -> str:
    """Write a cause without its detail. A command's subject is a number drawn at random."""
    named = cause.subject and not (cause.kind == _COMMAND and cause.detail)
    return f"{cause.kind} of {cause.subject}" if named else cause.kind


def number(count: int, noun: str) -> str:
    """Write how many of something there are."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def place(record: _Placed) -> str | None:
    """Write where a record stands in the log, if it stands there."""
    return f"{record.topic}/{record.partition}@{record.offset}" if record.topic else None


def queue_name(queue: _OfAQueue) -> str:
    """Write a queue: its topic and number, and between them its broker if that has a name."""
    broker = f"-{queue.broker}" if queue.broker else ""
    return f"{queue.topic}{broker}-{queue.id}"


def queue_names(queues: Iterable[QueueRef]) -> str:
    """Write several queues."""
    return " ".join(map(queue_name, queues))


def several(names: Iterable[str], most: int = _NAMED) -> str:
    """Write names, the first of them where they are many."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return f"{', '.join(every[:most])}{more}"


@singledispatch
def event(record: Any) -> str:  # noqa: ANN401 - of any topic
    """Write what a record says, without its group and its cause."""
    said = record.model_dump(mode="json", exclude_none=True, exclude={"v", "kind", "cause"})
    return f"{record.kind}: " + ", ".join(f"{name} {value}" for name, value in said.items())


@event.register
def _(record: protocol.Assignment) -> str:
    parts = [
        ("hold", [_held(row) for row in record.hold]),
        ("give", [_held(row) for row in record.give]),
        ("inherit", [_inherited(row) for row in record.inherit]),
        ("share", [_held(row) for row in record.shared or ()]),
    ]
    wanted = "; ".join(f"{verb} {' '.join(rows)}" for verb, rows in parts if rows)
    return f"{record.member} is told under epoch {record.epoch}: {wanted or 'nothing'}"


@event.register
def _(record: protocol.Group) -> str:
    queues = record.queues
    return (
        f"{record.state} at epoch {record.epoch}, {number(record.members, 'member')}; "
        f"{number(queues.assigned, 'queue')} assigned, {queues.moving} moving, "
        f"{queues.unassigned} unassigned"
    )


@event.register
def _(record: protocol.MemberChanged) -> str:
    if record.resting_until_ms is None:
        return f"{record.member} {record.event}"
    return (
        f"{record.member} {record.event}, and rests until {moments.said(record.resting_until_ms)}"
    )


@event.register
def _(record: protocol.RebalanceDone) -> str:
    return (
        f"rebalance {record.epoch_before} -> {record.epoch_after}: {number(record.moves, 'move')}, "
        f"{number(record.members, 'member')}, {number(record.queues, 'queue')}"
    )


@event.register
def _(record: protocol.Handover) -> str:
    way = f"{queue_names(record.queues)} went from {record.from_member} to {record.to_member}"
    epoch = "" if record.epoch is None else f" under epoch {record.epoch}"
    told = f", {record.duration_ms} ms after it was told" if record.duration_ms else ""
    idle = f"; without a worker for at most {record.idle_ms} ms" if record.idle_ms else ""
    return f"{way}{epoch} ({record.ending}{told}{idle})"


@event.register
def _(record: protocol.Granted) -> str:
    names = queue_names(record.queues)
    return f"{record.member} got {names}, which nobody had, under epoch {record.epoch}"


@event.register
def _(record: protocol.Conflict) -> str:
    return (
        f"two lives claim one name: {record.older} {record.older_incarnation} and "
        f"{record.newer} {record.newer_incarnation}; the rule is {record.rule}"
    )


@event.register
def _(record: protocol.Hold) -> str:
    return (
        f"{record.silent} members are silent at once: {', '.join(record.members)} are not evicted"
    )


@event.register
def _(record: protocol.Claim) -> str:
    return f"{record.member} works on {queue_names(record.queues)}, which it was never granted"


@event.register
def _(record: protocol.LeftOut) -> str:
    return f"no room for {record.queues} queues of {record.topic}"


@event.register
def _(record: protocol.Doubled) -> str:
    return f"two processes seem to be the client {record.member}: {record.detail}"


@event.register
def _(record: protocol.CommandAnswer) -> str:
    detail = f": {record.detail}" if record.detail else ""
    said = f"{record.command} by {record.principal} ({record.reason})"
    return f"{said}: {record.outcome}{detail}"


@event.register
def _(record: protocol.PauseEnded) -> str:
    del record
    return "the pause is over"


@event.register
def _(record: protocol.Ailment) -> str:
    return f"{record.subject}: {record.reason or 'it works again'}"


@event.register
def _(record: protocol.Verdict) -> str:
    fit = "available" if record.available else "out of use"
    voters = f" (say {several(record.voters)})" if record.voters else ""
    return f"broker {record.broker} of {record.cluster} is {fit}: {record.reason}{voters}"


@event.register
def _(record: protocol.DeadLetter) -> str:
    return f"dead letter: {place(record)}: {record.reason}: {record.detail}"


def _held(row: HolderRef) -> str:
    heir = "" if row.next is None else f">{row.next}"
    return f"{queue_name(row)}@{row.epoch}{heir}"


def _inherited(row: InheritRef) -> str:
    return f"{queue_name(row)}@{row.epoch} from {row.from_member}@{row.from_epoch}"
