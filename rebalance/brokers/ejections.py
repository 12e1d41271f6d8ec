"""Ejections: for how long a broker is out, who tests it meanwhile, and how it comes back.

The first time it may come back as soon as its testers are content. Each further time it stays out
at least n times thirty seconds, up to five minutes, so that a broker that comes and goes is mostly
out (E7). Calm makes n fall again.

A hash of the broker and the count picks the testers and spreads the returns: random numbers could
not be replayed. Called by ``sweep``.
"""

from collections.abc import Iterable

from rebalance.brokers.cluster import Broker, Out
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import ReporterId
from rebalance.brokers.findings import Finding
from rebalance.ids import BrokerName, Millis

FNV_START, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
"""FNV-1a, 64 bits (Fowler, Noll and Vo): short, and the same everywhere for ever."""


def spread(*words: object) -> int:
    """Return a number that looks drawn, and is always the same for the same words."""
    state = FNV_START
    for byte in "/".join(map(str, words)).encode("utf-8", "surrogatepass"):
        state = (state ^ byte) * FNV_PRIME % 2**64
    return state ^ state >> 29  # FNV's upper bits hear little of the last bytes


def ejection(draft: Draft, name: BrokerName, ejections: int, finding: Finding) -> Out:
    """Return the n-th ejection of a broker."""
    policy, until = draft.policy, _end(draft, name, ejections)
    longest = policy.ejection_ms_max - policy.ejection_ms  # what is left is for the testers
    untested = min(policy.ejection_ms * (ejections - 1), longest)
    return Out(
        finding.detector,
        finding.reason,
        since_ms=draft.published(draft.now),
        until_ms=draft.published(until),
        tested_from=Millis(draft.now + untested),
        until=until,
        voters=finding.voters,
    )


def prolonged(draft: Draft, name: BrokerName, ejections: int, out: Out) -> Out:
    """Return a longer ejection: no new fault, the old one has not ended."""
    until = _end(draft, name, ejections)
    return out._replace(until=until, until_ms=draft.published(until))


def _end(draft: Draft, name: BrokerName, ejections: int) -> Millis:
    policy = draft.policy
    term = min(policy.ejection_ms * ejections, policy.ejection_ms_max)
    jitter = spread(name, ejections) % (policy.jitter_percent + 1)
    return Millis(draft.now + term + term * jitter // 100)


def testers(draft: Draft, name: BrokerName, broker: Broker) -> tuple[ReporterId, ...]:
    """Return who tests the broker now: always the same reporters, as long as they report."""
    if broker.out is None or draft.now < broker.out.tested_from:
        return ()
    return tuple(sorted(_first(draft.reporters, name, draft.policy.testers)))


def _first(reporters: Iterable[ReporterId], name: BrokerName, count: int) -> list[ReporterId]:
    """The highest hashes win: a reporter that goes is replaced, and the others stay."""
    return sorted(reporters, key=lambda who: (spread(name, who), who))[:count]
