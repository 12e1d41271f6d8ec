"""Findings: the votes are counted, and some are void.

A reporter that complains of more than half of what it sees is itself the outlier (its network, its
garbage collector), and its votes are void (E5). What they would have decided is kept too: if that
is most of the brokers, there is no outlier but a general trouble (E1), which ``sweep`` calls a
panic.

Called by ``sweep``. A finding takes a quorum *and* the majority of those that can tell.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rebalance.brokers.detectors import View, median, past_of, vote
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import ReporterId
from rebalance.brokers.policy import DETECTORS, Detector
from rebalance.ids import BrokerName

Votes = dict[ReporterId, bool]

VOTERS: Final = 16
"""So many are named with a verdict: enough to see whether they share a host or a rack, and at most
some kilobytes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A detector wants a broker out."""

    detector: Detector
    reason: str
    voters: tuple[ReporterId, ...] = ()
    """The first few of those that complain."""


@dataclass(slots=True)
class Findings:
    """Which brokers each detector wants out; the first detector in order gives the reason."""

    judged: dict[BrokerName, Finding] = field(default_factory=dict)
    """By detectors that are acted on."""
    shadow: dict[BrokerName, Finding] = field(default_factory=dict)
    """By detectors on trial."""
    trouble: set[BrokerName] = field(default_factory=set)
    """Void votes included: what may be a general trouble."""


def find(draft: Draft, views: Mapping[ReporterId, View]) -> Findings:
    """Count the votes of all detectors that are not off."""
    findings = Findings()
    for detector in DETECTORS:
        mode = draft.policy.mode_of(detector)
        if mode == "off":
            continue
        cast = _cast(draft, detector, views)
        void = _void(cast)
        found = findings.judged if mode == "enforce" else findings.shadow
        for name, votes in cast.items():
            # On trial, drift ejects no broker, but it may say that all drift at once.
            if (mode == "enforce" or detector == "drift") and _condemns(draft, votes):
                findings.trouble.add(name)
            counted = {who: against for who, against in votes.items() if who not in void}
            if name not in found and _condemns(draft, counted):
                reason = _reason(draft, detector, name, counted, views)
                found[name] = Finding(detector, reason, _voters(counted))
    return findings


def _cast(
    draft: Draft, detector: Detector, views: Mapping[ReporterId, View]
) -> dict[BrokerName, Votes]:
    cast: dict[BrokerName, Votes] = {name: {} for name in draft.brokers}
    pasts = {name: past_of(broker, draft.policy) for name, broker in draft.brokers.items()}
    for who, view in views.items():
        for name in {**view.reporter.calls, **view.reporter.streaks}:
            if name not in cast:
                continue
            against = vote(detector, view, name, pasts[name], draft.now, draft.policy)
            if against is not None:
                cast[name][who] = against
    return cast


def _void(cast: Mapping[BrokerName, Votes]) -> set[ReporterId]:
    voted, against = Counter[ReporterId](), Counter[ReporterId]()
    for votes in cast.values():
        voted.update(list(votes))
        against.update(who for who, complains in votes.items() if complains)
    return {who for who, count in against.items() if voted[who] > 1 and 2 * count > voted[who]}


def _condemns(draft: Draft, votes: Votes) -> bool:
    majority = len(votes) // 2 + 1
    return sum(votes.values()) >= max(draft.policy.quorum, majority)


def _voters(votes: Votes) -> tuple[ReporterId, ...]:
    return tuple(sorted(who for who, complains in votes.items() if complains)[:VOTERS])


def _reason(
    draft: Draft,
    detector: Detector,
    name: BrokerName,
    votes: Votes,
    views: Mapping[ReporterId, View],
) -> str:
    """Say it for people, in figures."""
    against = [views[who] for who, complains in votes.items() if complains]
    say = f"say {len(against)} of {len(votes)} reporters"
    if detector == "failures":
        streaks = sum(view.reporter.streaks[name].failures for view in against)
        return f"{streaks} failures in a row or more, {say}"
    if detector == "errors":
        calls = [view.reporter.calls[name] for view in against]
        return f"{sum(it.errors for it in calls)} of {sum(it.made for it in calls)} failed, {say}"
    latency = median(tuple(view.latencies[name] for view in against))
    if detector == "drift":
        before = past_of(draft.brokers[name], draft.policy)
        return f"p50 {latency:.0f} ms, {before or 0:.0f} ms before, {say}"
    peers = tuple(view.peers[name] for view in against if name in view.peers)
    return f"p50 {latency:.0f} ms, {median(peers) if peers else 0:.0f} ms of its peers, {say}"
