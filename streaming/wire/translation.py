"""Translation: a record of the wire becomes an event of the brain.

No judgement, no state, nothing left out. What this brain does not understand becomes a dead letter,
because doing half of what was asked would be worse than doing none of it.

Called by ``decoding``. Each record or registration change becomes one event, with the stamp of its
place and time.
"""

from collections.abc import Iterable

from rebalance.groups.model.events import (
    Adopted,
    Advanced,
    BeatSeen,
    Commanded,
    DrainAsked,
    Event,
    Found,
    Inheritance,
    Joined,
    Left,
    Mode,
    Portion,
    Registered,
    Released,
    RouteObserved,
    Unregistered,
)
from rebalance.ids import (
    BrokerName,
    Epoch,
    Held,
    Incarnation,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Naming,
    Pattern,
    Queue,
    Tenure,
    TopicName,
)
from rebalance.racks import RackRun
from rebalance.stamp import Stamp
from streaming.wire.commands import command_of, settings_of
from trimtab.protocol import (
    Adopt,
    Advance,
    Beat,
    Command,
    Drain,
    GrantRef,
    HolderRef,
    Join,
    Leave,
    LifeRef,
    RackRef,
    Record,
    RegistrationChange,
    Release,
    ReleaseRef,
    Route,
    UndecodableRecord,
    Unregistration,
)
from trimtab.protocol.rocketmq import SESSION_TIMEOUT_MS


def event_of(  # noqa: C901, PLR0911 - one case for each kind
    record: Record, stamp: Stamp
) -> Event | Found:
    """Translate one record.

    Raises:
        UndecodableRecord: The brain has no word for it.
    """
    match record:
        case Join():
            return _joined(record, stamp)
        case Beat():
            return BeatSeen(
                stamp,
                _life(record.life),
                record.sequence,
                Epoch(record.epoch),
                None if record.owned is None else _grants(record.owned),
            )
        case Drain():
            life = _life(record.life)
            return DrainAsked(stamp, life, record.sequence)
        case Leave():
            life = _life(record.life)
            return Left(stamp, life, record.sequence, record.temporary)
        case Release():
            life = _life(record.life)
            own = record.by is None
            number = record.sequence if own else -1
            return Released(stamp, life, _namings(record.queues), own, number)
        case Route():
            return _observed(record, stamp)
        case Command():
            return Commanded(
                stamp,
                record.id,
                record.principal,
                record.reason,
                command_of(record),
                None if record.base_epoch is None else Epoch(record.base_epoch),
            )
        case Adopt():
            return _adopted(record, stamp)
        case Advance():
            return _advanced(record, stamp)
        case _:
            raise UndecodableRecord("refused", f"{record.kind}: not understood by this release")


def _advanced(record: Advance, stamp: Stamp) -> Advanced:
    draining = None if record.draining is None else frozenset(map(MemberId, record.draining))
    return Advanced(
        stamp,
        record.start,
        Epoch(record.epoch),
        Millis(record.decided_ms),
        record.of or 0,
        settings_of(record.settings),
        draining,
    )


def _joined(record: Join, stamp: Stamp) -> Joined:
    return Joined(
        stamp,
        _life(record.life),
        record.sequence,
        frozenset(map(TopicName, record.topics)),
        session_timeout_ms=_millis(record.session_timeout_ms),
        revocation_timeout_ms=_millis(record.revocation_timeout_ms),
        instance=None if record.instance is None else InstanceId(record.instance),
        rack=record.rack or "",
        weight=record.weight,
        capacity=record.capacity,
        mode=Mode(record.mode),
        eager=record.protocol == "eager",
        patterns=frozenset(map(Pattern, record.patterns or ())),
        last_epoch=None if record.last_epoch is None else Epoch(record.last_epoch),
        marks=bool(record.marks),
        guarded=bool(record.guarded),
        on_hold_alone=not record.marks,
    )


def stated(said: RegistrationChange, stamp: Stamp) -> Registered | Unregistered:
    """Translate what a RocketMQ client says of one group; it counts nothing, so the last counts."""
    member, life = MemberId(said.client), Incarnation(said.incarnation)
    if isinstance(said, Unregistration):
        return Unregistered(stamp, Life(member, life))
    return Registered(
        stamp,
        Life(member, life),
        None if said.topics is None else frozenset(map(TopicName, said.topics)),
        Mode(said.mode),
        Millis(SESSION_TIMEOUT_MS),
        said.groups_hash,
        doubled=said.doubled,
    )


def _observed(record: Route, stamp: Stamp) -> RouteObserved:
    topic = TopicName(record.topic)
    queues = sorted(
        Queue(topic, BrokerName(run.broker), number) for run in record.runs for number in run.ids
    )
    return RouteObserved(
        stamp,
        topic,
        record.version,
        record.exists,
        tuple(queues),
        record.generation or "",
        None if record.racks is None else tuple(map(_rack_run, record.racks)),
    )


def _rack_run(row: RackRef) -> RackRun:
    return RackRun(frozenset(row.racks), row.first_id, row.length)


def _adopted(record: Adopt, stamp: Stamp) -> Adopted:
    inherit = tuple(
        Inheritance(
            Queue(TopicName(row.topic), BrokerName(row.broker), row.id),
            Epoch(row.epoch),
            Tenure(_life(LifeRef(row.from_member, row.from_incarnation)), Epoch(row.from_epoch)),
        )
        for row in record.inherit
    )
    return Adopted(
        stamp,
        _life(LifeRef(record.member, record.incarnation)),
        record.start,
        Epoch(record.epoch),
        Portion(
            _namings(record.hold), _namings(record.give), inherit, _namings(record.shared or ())
        ),
        Millis(record.session_timeout_ms),
        Millis(record.revocation_timeout_ms),
        Mode.CLUSTERING if record.mode is None else Mode(record.mode),
        record.of or 0,
    )


def _life(ref: LifeRef) -> Life:
    return Life(MemberId(ref.member), Incarnation(ref.incarnation))


def _grants(rows: Iterable[GrantRef]) -> tuple[Held, ...]:
    return tuple(Held(_queue(row), Epoch(row.epoch)) for row in rows)


def _namings(rows: Iterable[HolderRef | ReleaseRef]) -> tuple[Naming, ...]:
    return tuple(
        Naming(
            _queue(row),
            Epoch(row.epoch),
            None if row.next is None else Epoch(row.next),
            None if row.to is None else _life(row.to),
        )
        for row in rows
    )


def _queue(row: GrantRef | HolderRef | ReleaseRef) -> Queue:
    return Queue(TopicName(row.topic), BrokerName(row.broker), row.id)


def _millis(wished: int | None) -> Millis | None:
    return None if wished is None else Millis(wished)
