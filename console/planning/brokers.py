"""What a command about a broker would do: the jury is rebuilt from what is published, and stepped.

Its verdicts are there, and so is which broker has which topic. What producers have reported is not
kept, so what the jury will say later is not known; but a command takes effect at once, and all that
counts then is known: who is out and why, and what the limits forbid.

Called by `trimtab brokers` with `--dry-run`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from rebalance.brokers.cluster import Broker, Cluster, Out, StandingCommand
from rebalance.brokers.decisions import BrokerCommandAnswered, VerdictIssued, VerdictWithdrawn
from rebalance.brokers.events import ClusterName, ReporterId
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.publication import OPERATOR
from rebalance.brokers.step import step
from rebalance.ids import BrokerName, Millis, Position, TopicName
from rebalance.stamp import Stamp
from streaming.wire.reports import broker_event_of
from trimtab.protocol import Hosts, Record, Verdict

COLUMNS: Final = ("broker", "before", "after", "why")
_SPARED: Final = "spared, "
"""How the reason of a verdict begins that a limit has kept from taking effect."""


@dataclass(frozen=True, slots=True)
class BrokerPlan:
    """What would come of a command."""

    done: bool
    detail: str
    """As its answer would say it."""
    rows: list[dict[str, object]]
    """The brokers of which something else would be said."""


def plan(
    cluster: str,
    verdicts: Iterable[Verdict],
    hosts: Iterable[Hosts],
    command: Record,
    policy: VerdictPolicy,
    now_ms: int,
) -> BrokerPlan:
    """Say what a command would do now."""
    at = Millis(now_ms)
    now = Stamp(at, heard=at, appended=at, position=Position(TopicName("plan"), 0, 0))
    before = _rebuilt(cluster, verdicts, policy, now)
    event = broker_event_of(command, now)
    assert event is not None, "the command is about a broker"
    known = [broker_event_of(it, now) for it in hosts]
    before = step(before, [it for it in known if it is not None], policy).cluster
    after = step(before, [event], policy)
    (answer,) = (it for it in after.decisions if isinstance(it, BrokerCommandAnswered))
    rows: list[dict[str, object]] = [
        {
            "broker": name,
            "before": _state(before.told.get(name)),
            "after": _state(after.cluster.told.get(name)),
            "why": said.reason if isinstance(said, VerdictIssued) else "it is forgotten",
        }
        for said in after.decisions
        if isinstance(said, VerdictIssued | VerdictWithdrawn)
        for name in (said.broker,)
    ]
    return BrokerPlan(answer.done, answer.detail, rows)


def _rebuilt(
    cluster: str, verdicts: Iterable[Verdict], policy: VerdictPolicy, now: Stamp
) -> Cluster:
    """Return the cluster as far as its verdicts tell it."""
    told = [it for it in verdicts if it.cluster == cluster]
    panic = any(it.panic for it in told)
    standing = [it for it in told if it.until_ms is None or it.until_ms > now.appended]
    return Cluster(
        ClusterName(cluster),
        now=now.clock,
        sweep_ends=Millis(now.clock + policy.sweep_ms),
        panic_until=Millis(now.clock + policy.sweep_ms if panic else -1),
        brokers={
            BrokerName(it.broker): Broker(
                now.clock, now.clock, out=_out(it, policy, now) if it in standing else None
            )
            for it in told
        },
        commands={
            BrokerName(it.broker): StandingCommand(
                available=it.available and not it.reason.startswith(_SPARED),
                reason=it.reason.removeprefix(_SPARED),
                since_ms=Millis(it.since_ms),
                until_ms=None if it.until_ms is None else Millis(it.until_ms),
                until=None if it.until_ms is None else Millis(it.until_ms),
            )
            for it in standing
            if it.detector == OPERATOR
        },
        told={BrokerName(it.broker): _issued(it, standing=it in standing) for it in told},
        renewed=now.clock,
    )


def _out(verdict: Verdict, policy: VerdictPolicy, now: Stamp) -> Out | None:
    if verdict.available or verdict.detector in {None, OPERATOR}:
        return None
    until = Millis(verdict.until_ms or now.clock + policy.ejection_ms)
    return Out(
        detector=verdict.detector or "",
        reason=verdict.reason,
        since_ms=Millis(verdict.since_ms),
        until_ms=until,
        tested_from=now.clock,
        until=until,
        testers=tuple(map(ReporterId, verdict.testers or ())),
        voters=tuple(map(ReporterId, verdict.voters or ())),
    )


def _issued(verdict: Verdict, *, standing: bool) -> VerdictIssued:
    """Return a verdict as it was decided; one that has lapsed counts as available."""
    told = VerdictIssued(
        cluster=ClusterName(verdict.cluster),
        broker=BrokerName(verdict.broker),
        available=verdict.available,
        since_ms=Millis(verdict.since_ms),
        until_ms=None if verdict.until_ms is None else Millis(verdict.until_ms),
        reason=verdict.reason,
        detector=verdict.detector,
        panic=verdict.panic,
        testers=tuple(map(ReporterId, verdict.testers or ())),
        shadow=verdict.shadow,
        reports=verdict.reports,
        errors=verdict.errors,
        voters=tuple(map(ReporterId, verdict.voters or ())),
    )
    return told if standing else replace(told, available=True)


def _state(told: VerdictIssued | None) -> str:
    if told is None:
        return "not known"
    return "available" if told.available else "out"
