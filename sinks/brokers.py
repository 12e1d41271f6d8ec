"""Topic ``brokers``: the newest verdict on each broker, with its reason.

Producers follow it. A verdict that changed is written to ``history`` too, because people ask later
when a broker was out and on whose word.

Called by ``streaming`` with what the jury decided.
"""

from rebalance.brokers.decisions import (
    BrokerCommandAnswered,
    Said,
    VerdictIssued,
    VerdictTurned,
    VerdictWithdrawn,
)
from rebalance.causes import Cause, CauseKind
from rebalance.ids import GroupName
from sinks.causes import cause_of, text_of
from sinks.contract import Outlet, Record, headers, keyed_by_group
from trimtab import protocol
from trimtab.protocol import BROKERS, HISTORY, broker_key, encode
from trimtab.protocol.reasons import one_line


def verdict_record(decision: Said, outlet: Outlet) -> Record:
    """Write a verdict, for producers, or for people if it is news; or its tombstone."""
    if isinstance(decision, VerdictTurned):
        told = decision.verdict
        news = verdict_of(told).model_copy(update={"at_ms": decision.at})
        return keyed_by_group(outlet, HISTORY, GroupName(told.cluster), news, None)
    topic, partition = outlet.topic(BROKERS), outlet.partition(decision.cluster)
    key = broker_key(decision.cluster, decision.broker)
    if isinstance(decision, VerdictWithdrawn):
        return Record(topic, partition, key, value=None)
    verdict = verdict_of(decision)
    return Record(topic, partition, key, encode(verdict), headers(verdict))


def command_record(decision: BrokerCommandAnswered, outlet: Outlet) -> Record:
    """Write what became of a command about a broker."""
    command, at = decision.command, decision.stamp.position
    detail = f"{command.verb} by {command.principal}: {command.reason}"
    answer = protocol.CommandAnswer(
        group=decision.cluster,
        id=command.id,
        command=command.verb,
        principal=command.principal,
        reason=command.reason,
        outcome="done" if decision.done else "refused",
        detail=text_of(decision.detail),
        at_ms=decision.stamp.appended,
        cause=cause_of(Cause(CauseKind.COMMAND, command.id, at, detail)),
    )
    return keyed_by_group(outlet, HISTORY, GroupName(decision.cluster), answer, None)


def verdict_of(decision: VerdictIssued) -> protocol.Verdict:
    """Say a verdict in the words of the wire."""
    return protocol.Verdict(
        cluster=decision.cluster,
        broker=decision.broker,
        available=decision.available,
        since_ms=decision.since_ms,
        until_ms=decision.until_ms,
        reason=one_line(decision.reason),
        panic=decision.panic,
        reports=decision.reports,
        errors=decision.errors,
        detector=decision.detector,
        testers=decision.testers[: protocol.limits.TESTERS] or None,
        voters=decision.voters[: protocol.limits.VOTERS] or None,
        shadow=decision.shadow,
    )
