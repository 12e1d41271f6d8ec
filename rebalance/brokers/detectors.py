"""Detectors: how one reporter, by its own measure, votes on one broker.

Milliseconds of different reporters are never compared. A reporter far away finds all brokers slow,
so it is asked which one is slow *among those that it sees itself*; only then are votes counted. If
a majority finds a broker three times slower than its peers, then the median of what they find is
above three, and no lying minority can move a median.

Called by ``findings``. Its one rule: a vote is a complaint, no complaint, or None: a reporter that
has seen too little does not count as content.
"""

from collections.abc import Mapping
from typing import NamedTuple, assert_never

from rebalance.brokers.cluster import Broker, Calls, Reporter
from rebalance.brokers.policy import Detector, VerdictPolicy
from rebalance.ids import BrokerName, Millis


class View(NamedTuple):
    """What one reporter saw in a sweep, ready to be asked about."""

    reporter: Reporter
    latencies: Mapping[BrokerName, float]
    """Of brokers with enough calls to tell."""
    peers: Mapping[BrokerName, float]
    """For each of them, the median of the others."""


def view_of(reporter: Reporter, out: frozenset[BrokerName], policy: VerdictPolicy) -> View:
    """Read a reporter's sweep. Brokers that are out of use are no measure for others."""
    latencies = {
        name: calls.latency_sum / came
        for name, calls in reporter.calls.items()
        if (came := calls.successes) >= policy.samples_min
    }
    return View(reporter, latencies, _medians_of_others(latencies, out))


def _medians_of_others(
    latencies: Mapping[BrokerName, float], out: frozenset[BrokerName]
) -> dict[BrokerName, float]:
    """The lower median without each one itself, by one sort for all."""
    ranked = sorted(name for name in latencies if name not in out)
    ranked.sort(key=latencies.__getitem__)
    place = {name: rank for rank, name in enumerate(ranked)}
    medians = {}
    for name in latencies:
        mine = place.get(name, len(ranked))
        others = len(ranked) - (name in place)
        if others:
            middle = (others - 1) // 2
            medians[name] = latencies[ranked[middle + (middle >= mine)]]
    return medians


def past_of(broker: Broker, policy: VerdictPolicy) -> float | None:
    """Return how fast a broker used to be; None while too little is known."""
    if len(broker.past) < policy.past_sweeps_min:
        return None
    return median(broker.past)


def median(values: tuple[float, ...]) -> float:
    """Return the lower median."""
    return sorted(values)[(len(values) - 1) // 2]


def vote(
    detector: Detector,
    view: View,
    name: BrokerName,
    past: float | None,
    now: Millis,
    policy: VerdictPolicy,
) -> bool | None:
    """Ask one reporter about one broker, which used to take ``past``."""
    match detector:
        case "failures":
            return _failures(view, name, now, policy)
        case "errors":
            return _errors(view.reporter.calls.get(name, Calls()), policy)
        case "latency":
            return _latency(view, name, past, policy)
        case "drift":
            return _drift(view.latencies.get(name), past, policy)
        case _:
            assert_never(detector)


def _failures(view: View, name: BrokerName, now: Millis, policy: VerdictPolicy) -> bool | None:
    """Complain after the reporter's share of the failures that it takes, with no success since."""
    streak = view.reporter.streaks.get(name)
    if streak is None or now - streak.at > policy.streak_ms:
        return False if name in view.reporter.calls else None
    return streak.failures >= -(-policy.failures_min // policy.quorum)


def _errors(calls: Calls, policy: VerdictPolicy) -> bool | None:
    if calls.made < policy.error_calls_min:
        return None
    return 100 * calls.errors >= policy.error_percent * calls.made


def _latency(
    view: View, name: BrokerName, past: float | None, policy: VerdictPolicy
) -> bool | None:
    latency, peers = view.latencies.get(name), view.peers.get(name)
    if latency is None:
        return None
    if latency >= policy.latency_ms_max:
        return True
    if peers is None:
        return None
    worse_than_ever = past is None or latency >= policy.latency_factor * past
    slow = latency >= max(policy.latency_ms_min, policy.latency_factor * peers)
    return slow and worse_than_ever


def _drift(latency: float | None, past: float | None, policy: VerdictPolicy) -> bool | None:
    if latency is None or past is None:
        return None
    return latency >= max(policy.latency_ms_min, policy.latency_factor * past)


def is_well_again(view: View, name: BrokerName, policy: VerdictPolicy) -> bool | None:
    """Ask a tester about a broker that is out of use; a single call is enough to tell.

    What it saw late in the sweep, if anything, goes for the whole of it.
    """
    calls = view.reporter.tests.get(name, view.reporter.calls.get(name))
    if calls is None:
        return None
    latency = calls.latency_ms
    if calls.errors or latency is None:
        return False
    others = view.latencies.items()
    peers = tuple(theirs for other, theirs in others if other != name)
    near = policy.recovery_factor * median(peers) if peers else policy.latency_ms_max
    return latency < max(policy.latency_ms_min, near)
