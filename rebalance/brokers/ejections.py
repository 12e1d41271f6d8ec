"""Ejections: for how long a broker is out, who tests it meanwhile, and how it comes back.

The first time it may come back as soon as its testers are content. Each further time it stays out
at least n times thirty seconds, up to five minutes, so that a broker that comes and goes is mostly
out (E7). Calm makes n fall again.

A hash of the broker and the count picks the testers and spreads the returns: random numbers could
not be replayed. Called by ``sweep``.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from rebalance.brokers.cluster import Broker, Out
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import ReporterId
from rebalance.brokers.findings import Finding
from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import BrokerName, Millis
from rebalance.spread import spread

_CALLERS: Final = 16
"""So many are remembered, in case that some of them go."""


def ejection(draft: Draft, name: BrokerName, ejections: int, finding: Finding) -> Out:
    """Return the n-th ejection of a broker."""
    policy, until = draft.policy, _end(draft, name, ejections)
    untested = max(0, _term(policy, ejections) - policy.tested_ms)
    return Out(
        finding.detector,
        finding.reason,
        since_ms=draft.published(draft.now),
        until_ms=draft.published(until),
        tested_from=Millis(draft.now + untested),
        until=until,
        voters=finding.voters,
        callers=_callers(draft, name),
    )


def prolonged(draft: Draft, name: BrokerName, ejections: int, out: Out) -> Out:
    """Return a longer ejection: no new fault, the old one has not ended."""
    until = _end(draft, name, ejections)
    return out._replace(until=until, until_ms=draft.published(until))


def end_as_published(draft: Draft) -> None:
    """Bring ends forward to those that readers know: the log clock stands while nobody is there.

    An ejection that is over for them would only hide complaints, and take up others' room.
    """
    for name, broker in draft.brokers.items():
        out = broker.out
        if out is None:
            continue
        late = max(0, draft.sure + out.until - draft.now - out.until_ms)
        until, tested = Millis(out.until - late), Millis(out.tested_from - late)
        draft.brokers[name] = replace(broker, out=out._replace(until=until, tested_from=tested))
        if out.by_time_alone and name in draft.items:  # or a good call would be a new ejection
            draft.items[name] = replace(draft.items[name], start_timestamp=until)


def _end(draft: Draft, name: BrokerName, ejections: int) -> Millis:
    term = _term(draft.policy, ejections)
    jitter = spread(name, ejections) % (draft.policy.jitter_percent + 1)
    return Millis(draft.now + term + term * jitter // 100)


def _term(policy: VerdictPolicy, ejections: int) -> int:
    return min(policy.ejection_ms * ejections, policy.ejection_ms_max)


def testers(draft: Draft, name: BrokerName, broker: Broker) -> tuple[ReporterId, ...]:
    """Return who tests the broker now: always the same reporters, as long as they report.

    Those that sent to it come first: others may have no topic there, and would never try it.
    """
    if broker.out is None or draft.now < broker.out.tested_from:
        return ()
    known = [who for who in broker.out.callers if who in draft.reporters]
    rest = _ranked(draft.reporters.keys() - known, name)
    return tuple(sorted([*known, *rest][: draft.policy.testers]))


def _callers(draft: Draft, name: BrokerName) -> tuple[ReporterId, ...]:
    """Return some who sent to the broker, in the order in which they are to test it.

    What they say of it makes no difference, so a liar changes nothing here.
    """
    all_of_them = (who for who, it in draft.reporters.items() if name in {**it.calls, **it.streaks})
    return tuple(_ranked(all_of_them, name)[: max(_CALLERS, draft.policy.testers)])


def _ranked(reporters: Iterable[ReporterId], name: BrokerName) -> list[ReporterId]:
    """Order them by a hash: a reporter that goes is replaced, and the others stay."""
    return sorted(reporters, key=lambda who: (spread(name, who), who))
