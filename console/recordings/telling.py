"""Telling: a published record as a line that a person can read, with its cause.

Called by `trimtab replay`; with `--json` the record itself is printed instead. The line says what
the record says and adds nothing.
"""

from collections.abc import Iterable

from sinks import Record
from trimtab import protocol
from trimtab.protocol import (
    TOPICS,
    Assignment,
    Cause,
    DeadLetter,
    Group,
    Handover,
    HolderRef,
    InheritRef,
    MemberChanged,
    QueueRef,
    RebalanceDone,
    decode,
    read_member_key,
)


def told(record: Record, prefix: str) -> str:
    """Write a record on one line."""
    topic = TOPICS[record.topic.removeprefix(prefix)]
    if record.value is None:
        key = record.key.decode(errors="replace")
        if topic is protocol.ASSIGNMENTS:
            group, member = read_member_key(record.key)
            return f"{group}: {member} is told that the group does not know it"
        return f"{key}: withdrawn from {topic.name}"
    return _said(decode(topic, record.value))


def _said(record: protocol.Record) -> str:
    if isinstance(record, Assignment | Group | MemberChanged | RebalanceDone | Handover):
        return f"{record.group}: {_of_a_group(record)}{_why(record.cause)}"
    if isinstance(record, DeadLetter):
        place = f"{record.topic}/{record.partition}@{record.offset}"
        return f"dead letter: {place}: {record.reason}: {record.detail}"
    fields = record.model_dump(mode="json", exclude_none=True, exclude={"v", "kind", "cause"})
    return f"{record.kind}: " + ", ".join(f"{name} {value}" for name, value in fields.items())


def _of_a_group(record: Assignment | Group | MemberChanged | RebalanceDone | Handover) -> str:
    match record:
        case Assignment():
            return f"{record.member} is told {_orders(record)}"
        case Group():
            return _group(record)
        case MemberChanged():
            return f"{record.member} {record.event}"
        case RebalanceDone():
            return _rebalance(record)
        case Handover():
            return _handover(record)


def _orders(record: Assignment) -> str:
    parts = [
        ("hold", [_held(row) for row in record.hold]),
        ("give", [_held(row) for row in record.give]),
        ("inherit", [_inherited(row) for row in record.inherit]),
    ]
    told = "; ".join(f"{verb} {' '.join(rows)}" for verb, rows in parts if rows)
    return f"under epoch {record.epoch}: {told or 'nothing'}"


def _held(row: HolderRef) -> str:
    heir = "" if row.next is None else f">{row.next}"
    return f"{_queue(row.queue)}@{row.epoch}{heir}"


def _inherited(row: InheritRef) -> str:
    return f"{_queue(row.queue)}@{row.epoch} from {row.from_member}@{row.from_epoch}"


def _queue(queue: QueueRef) -> str:
    return f"{queue.topic}-{queue.id}" if not queue.broker else "-".join(map(str, queue))


def _group(record: Group) -> str:
    queues = record.queues
    return (
        f"{record.state} at epoch {record.epoch}, {record.members} members; {queues.assigned} "
        f"queues assigned, {queues.moving} moving, {queues.unassigned} unassigned"
    )


def _rebalance(record: RebalanceDone) -> str:
    return (
        f"rebalance {record.epoch_before} -> {record.epoch_after}: {record.moves} moves, "
        f"{record.members} members, {record.queues} queues"
    )


def _handover(record: Handover) -> str:
    queues = _listed(record.queues)
    return (
        f"{queues} went from {record.from_member} to {record.to_member} "
        f"in {record.duration_ms} ms ({record.ending})"
    )


def _listed(queues: Iterable[QueueRef]) -> str:
    return " ".join(map(_queue, queues))


def _why(cause: Cause) -> str:
    subject = f" of {cause.subject}" if cause.subject else ""
    place = f", {cause.topic}/{cause.partition}@{cause.offset}" if cause.topic else ""
    detail = f": {cause.detail}" if cause.detail else ""
    return f" ({cause.kind}{subject}{place}{detail})"
