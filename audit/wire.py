"""From the wire to the history: recorded topics as an auditor reads them.

One record makes one entry (that of a RocketMQ client, one for each of its groups), or none when it
says nothing that can be judged: a command, a verdict, a hand-over's duration, and whatever the
controller itself would not understand. Nothing is decoded that the contract does not allow; a
record that cannot be read is the caller's to report.

Called by `trimtab check`. What is told apart by the wire is told apart here.
"""

from collections.abc import Iterator
from typing import Any

from audit import history
from audit.history import Entry, Grant, Inheritance, Life, Naming, Place
from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    HEARTBEATS,
    ROCKETMQ,
    ROUTES,
    START_KEY,
    TICK_KEY,
    TOLD_KEY,
    Adopt,
    Advance,
    Assignment,
    Beat,
    Command,
    Drain,
    GrantRef,
    Group,
    Hold,
    HolderRef,
    Join,
    Leave,
    MemberChanged,
    MemberRecord,
    Overrides,
    Record,
    RegistrationChange,
    Release,
    ReleaseRef,
    Route,
    Tick,
    Topic,
    UndecodableRecord,
    Unregistration,
    decode,
    member_key,
    read_group_key,
    read_member_key,
    registration_changes,
)

_REMOVED = {"expired", "fenced", "left"}


def entries_of(
    topic: Topic[Any], at: Place, key: bytes | None, value: bytes | None
) -> Iterator[Entry]:
    """Read one record; one of a RocketMQ client concerns several groups.

    Raises:
        UndecodableRecord: It does not keep the contract of its topic.
    """
    if topic is ROCKETMQ:
        for said in registration_changes(value):
            if not isinstance(said, UndecodableRecord):  # which spoils no other
                yield _of_a_client(said, at)
    else:
        entry = entry_of(topic, at, key, value)
        if entry is not None:
            yield entry


def _of_a_client(said: RegistrationChange, at: Place) -> Entry:
    """A client knows no releases, and may be granted whatever its group subscribes."""
    life = Life(said.client, said.incarnation)
    if isinstance(said, Unregistration):
        return history.Left(at, said.group, life, 0)
    return history.Joined(
        at,
        said.group,
        life,
        0,
        frozenset(said.topics or ()),
        patterns=frozenset({"*"}),
        eager=True,
        broadcasting=said.mode == "broadcasting",
        sharing=said.mode == "shared",
    )


def _ticked(at: Place, value: bytes | None) -> Entry:
    try:
        said = decode(HEARTBEATS, value)
    except UndecodableRecord:
        return history.Ticked(at)  # it is known by its key
    if not isinstance(said, Tick):
        return history.Ticked(at)
    return history.Ticked(at, said.start or "", said.number, said.seen)


def entry_of(topic: Topic[Any], at: Place, key: bytes | None, value: bytes | None) -> Entry | None:
    """Read one record.

    Raises:
        UndecodableRecord: It does not keep the contract of its topic.
    """
    if topic is HEARTBEATS and key == TICK_KEY:
        return _ticked(at, value)
    if topic is ROUTES and key in (START_KEY, TOLD_KEY):
        return None
    if topic is ASSIGNMENTS and value is None:
        return history.Withdrawn(at, *read_member_key(key))
    if topic is GROUPS and value is None:
        return history.Effaced(at, read_group_key(key))
    record = decode(topic, value)
    if isinstance(record, Assignment | Group | MemberChanged | Hold):
        return _published(record, at, key, value or b"")
    return _heard(record, at, read_group_key(key))


def _heard(record: Record, at: Place, group: str) -> Entry | None:
    if isinstance(record, Route):
        return _routed(record, at, group)
    if isinstance(record, Adopt | Advance):
        return history.Started(at, group, record.start)
    if isinstance(record, Command):
        return history.Commanded(at, group, record.kind)
    if isinstance(record, MemberRecord):
        return _of_a_member(record, at, group, Life(record.member, record.incarnation))
    return None


def _of_a_member(record: MemberRecord, at: Place, group: str, life: Life) -> Entry | None:
    match record:
        case Join():
            topics = frozenset(record.topics)
            wishes = (record.weight, record.capacity, frozenset(record.patterns or ()))
            commons = (record.mode == "broadcasting", record.mode == "shared")
            manners = (record.protocol == "eager", *commons)
            return history.Joined(at, group, life, record.sequence, topics, *wishes, *manners)
        case Beat():
            owned = None if record.owned is None else _grants(record.owned)
            return history.BeatSeen(at, group, life, record.sequence, record.epoch, owned)
        case Release():
            return history.Released(at, group, life, _namings(record.queues))
        case Drain():
            return history.DrainAsked(at, group, life, record.sequence)
        case Leave():
            return history.Left(at, group, life, record.sequence)
    return None


def _routed(record: Route, at: Place, group: str) -> Entry:
    queues = tuple((record.topic, run.broker, number) for run in record.runs for number in run.ids)
    return history.Routed(at, group, record.topic, record.version, queues)


def _published(
    record: Assignment | Group | MemberChanged | Hold, at: Place, key: bytes | None, value: bytes
) -> Entry | None:
    match record:
        case Assignment():
            return history.Issued(
                at,
                record.group,
                Life(record.member, record.incarnation),
                record.epoch,
                _grants(record.hold),
                _grants(record.give),
                tuple(
                    Inheritance(
                        row.queue,
                        row.epoch,
                        Life(row.from_member, row.from_incarnation),
                        row.from_epoch,
                    )
                    for row in record.inherit
                ),
                record.session_timeout_ms,
                value,
                unheard=record.join_again is True,
                common=record.mode is not None,
                unnamed=record.unnamed or 0,
                shared=_grants(record.shared or ()),
                apart=key == member_key(record.group, f"{record.member}@{record.incarnation}"),
                heartbeat_interval_ms=record.heartbeat_interval_ms,
                heirs=tuple(row.next for row in (*record.hold, *record.give)),
                cause=record.cause.kind,
            )
        case Group():
            return _summarised(record, at, value)
        case Hold():
            return history.Held(at, record.group, frozenset(record.members))
        case MemberChanged():
            if record.event not in _REMOVED:
                return None
            cause = record.cause
            place = Place(cause.topic or "", cause.partition or 0, cause.offset or 0)
            life = Life(record.member, record.incarnation)
            how = "overdue" if cause.kind == "fence" else record.event
            return history.Removed(at, record.group, life, how, place)


def _summarised(record: Group, at: Place, value: bytes) -> Entry:
    apart = frozenset(
        each.member
        for each in record.people
        if each.draining or each.away or each.held or each.resting
    )
    waiting = record.paused or any(each.away for each in record.people)
    settled = record.target_epoch == record.group_epoch and not waiting
    own = record.overrides or Overrides()
    blast = (own.blast_members, own.blast_percent, own.blast_hold_ms)
    head = (at, record.group, record.epoch, record.state)
    people = tuple(
        (each.member, (each.hold, each.give, each.inherit + (each.heir_of or 0)))
        for each in record.people
    )
    left_out = frozenset(name for name, topic in record.topics.items() if topic.left_out)
    popped = frozenset(name for name, topic in record.topics.items() if topic.popped)
    return history.Summarised(*head, value, apart, settled, blast, people, left_out, popped)


def _namings(rows: tuple[ReleaseRef, ...]) -> tuple[Naming, ...]:
    return tuple(
        Naming(row.queue, row.epoch, row.next, None if row.to is None else Life(*row.to))
        for row in rows
    )


def _grants(rows: tuple[GrantRef, ...] | tuple[HolderRef, ...]) -> tuple[Grant, ...]:
    return tuple(Grant(row.queue, row.epoch) for row in rows)
