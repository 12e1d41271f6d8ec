"""Records about brokers become events of the jury.

It is for brokers what ``translation`` is for groups. Reports and samples come from producers, the
brokers of a topic from a host watcher, commands from operators; all of them are keyed by cluster.

Called by ``decoding``, and by the replay of `trimtab faults`. Each record becomes one event, with
the stamp of its place and time.
"""

from rebalance.brokers.events import (
    BrokerCommanded,
    BrokerEvent,
    BrokerForgotten,
    CommandRef,
    Hosted,
    Reported,
    ReporterId,
    Sight,
)
from rebalance.ids import BrokerName, Incarnation, Millis, TopicName
from rebalance.stamp import Stamp
from trimtab.protocol import (
    BrokerLatency,
    Eject,
    Forget,
    Hosts,
    Record,
    Report,
    Restore,
    Sample,
)


def broker_event_of(record: Record, stamp: Stamp) -> BrokerEvent | None:
    """Translate one record; None when it does not concern brokers."""
    match record:
        case Report():
            sights = tuple(map(_sight, record.brokers))
            incarnation = Incarnation(record.incarnation)
            return Reported(
                stamp, ReporterId(record.reporter), incarnation, record.sequence, sights
            )
        case Sample():
            errors = int(record.isolation)
            sight = Sight(BrokerName(record.broker), 1, errors, record.latency_ms)
            return Reported(stamp, ReporterId(record.reporter), None, None, (sight,))
        case Hosts():
            names = tuple(map(BrokerName, record.brokers))
            where = dict(zip(names, record.addresses or (), strict=False))
            lease = None if record.lease_ms is None else Millis(record.lease_ms)
            return Hosted(stamp, TopicName(record.topic), frozenset(names), where, lease)
        case Eject() | Restore():
            return _commanded(record, stamp)
        case Forget(broker=str(broker)):
            return BrokerForgotten(stamp, BrokerName(broker), _command_ref(record))
        case _:
            return None


def _commanded(record: Eject | Restore, stamp: Stamp) -> BrokerCommanded:
    return BrokerCommanded(
        stamp,
        BrokerName(record.broker),
        isinstance(record, Restore),
        None if record.until_ms is None else Millis(record.until_ms),
        f"{record.principal}: {record.reason}",
        _command_ref(record),
    )


def _command_ref(record: Eject | Restore | Forget) -> CommandRef:
    return CommandRef(record.id, record.kind, record.principal, record.reason)


def _sight(seen: BrokerLatency) -> Sight:
    address, slowest_ms = seen.address or "", seen.max_ms
    return Sight(BrokerName(seen.broker), seen.count, seen.errors, seen.p50_ms, address, slowest_ms)
