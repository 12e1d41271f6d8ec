"""Topic ``brokers``: the newest verdict on each broker, with its reason.

Producers follow it. A verdict that changed is written to ``history`` too, because people ask later
when a broker was out and on whose word.

Called by ``streaming`` with what the jury decided.
"""

from rebalance.brokers.decisions import VerdictIssued, VerdictWithdrawn
from sinks.contract import Outlet, Record, headers
from trimtab import protocol
from trimtab.protocol import BROKERS, HISTORY, broker_key, encode
from trimtab.protocol.reasons import one_line


def verdict_records(decision: VerdictIssued | VerdictWithdrawn, outlet: Outlet) -> list[Record]:
    """Write a verdict, for producers and, if it is news, for people; or its tombstone."""
    partition = outlet.partition(decision.cluster)
    key = broker_key(decision.cluster, decision.broker)
    if isinstance(decision, VerdictWithdrawn):
        return [Record(outlet.topic(BROKERS), partition, key, value=None)]
    verdict = verdict_of(decision)
    value, described = encode(verdict), headers(verdict)
    records = [Record(outlet.topic(BROKERS), partition, key, value, described)]
    if decision.turned:
        cluster = decision.cluster.encode()
        records.append(Record(outlet.topic(HISTORY), partition, cluster, value, described))
    return records


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
        shadow=decision.shadow,
    )
