"""The jury, asked record by record.

A line is a record of topic `latency` or an operator's command about a broker, as on the wire, with
``at``: when it was appended, in milliseconds since 1970. ``{"kind": "tick", "at": …}`` only lets
time pass. Each line comes back with ``expect``: the verdicts that came of it and of the time before
it, as on topic `brokers`. One run is one cluster.

Called by `trimtab faults`. The same lines give the same verdicts as they would from the controller,
whose log has a tick every second.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from console.fault_cases.fields import BadField, Fields
from rebalance.brokers.cluster import Cluster
from rebalance.brokers.decisions import (
    BrokerCommandAnswered,
    BrokerDecision,
    ReportRefused,
    VerdictIssued,
    VerdictWithdrawn,
)
from rebalance.brokers.events import BrokerEvent, ClusterName
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.step import step
from rebalance.ids import Millis, Position, TopicName
from rebalance.stamp import Stamp, Ticked
from sinks.brokers import verdict_of
from streaming.wire.reports import broker_event_of
from trimtab.protocol import COMMANDS, LATENCY, Record, decode, encode

TICK = "tick"
TICK_MS = 1_000
MOST_TICKS = 3_600
"""A gap of more than an hour counts for an hour: all ejections are over by then."""
OF_COMMANDS = ("eject", "restore", "forget")


class Consensus:
    """A cluster that hears one line after another."""

    def __init__(self, policy: VerdictPolicy | None = None) -> None:
        """Start with a cluster of which nothing is known."""
        self._policy = policy or VerdictPolicy()
        self._cluster = Cluster(ClusterName("replay"))
        self._latest: int | None = None

    def answer(self, line: object) -> object:
        """Complete one line, or raise what is wrong with it, which leaves no trace."""
        fields = Fields(line)
        at = fields.integer("at")
        if at < 0:
            raise BadField("at must not be negative")
        event = _event(fields, _stamp(max(at, self._latest or 0)))
        after = step(self._cluster, [*self._ticks(at), event], self._policy)
        self._cluster, self._latest = after.cluster, event.stamp.appended
        return {**fields.all, "expect": [*_told(after.decisions)]}

    def _ticks(self, at: int) -> Iterator[Ticked]:
        """The seconds since the line before."""
        if self._latest is not None:
            first = max(self._latest, at - MOST_TICKS * TICK_MS) + TICK_MS
            yield from (Ticked(_stamp(second)) for second in range(first, at, TICK_MS))


def _stamp(at: int) -> Stamp:
    place = Position(TopicName(LATENCY.name), 0, 0)
    return Stamp(Millis(at), Millis(at), Millis(at), place)


def _event(fields: Fields, stamp: Stamp) -> BrokerEvent:
    kind = fields.text("kind")
    event = Ticked(stamp) if kind == TICK else broker_event_of(_record(fields.all, kind), stamp)
    if event is None:
        raise BadField(f"{kind}: this one does not concern a broker")
    return event


def _record(line: Mapping[str, object], kind: str) -> Record:
    value = json.dumps({"v": 1, **line}).encode()
    return decode(COMMANDS, value) if kind in OF_COMMANDS else decode(LATENCY, value)


def _told(decisions: Iterable[BrokerDecision]) -> Iterator[object]:
    """Say what a reader of verdicts would notice: not that a command was done, but its effect."""
    for it in decisions:
        match it:
            case VerdictIssued():
                yield json.loads(encode(verdict_of(it)))
            case VerdictWithdrawn():
                yield {"withdrawn": it.broker}
            case ReportRefused() | BrokerCommandAnswered(done=False):
                yield {"refused": it.detail}
