"""The end of a sweep: votes are counted, brokers taken out and let back in.

Read ``close`` aloud. Health is judged by what the reporters saw since the last sweep. A sweep
without reports takes no broker out, and lets ejections run out (E8).

Called by ``step`` whenever the log clock has passed the end of a sweep. Its one rule: the jury
decides about a broker here and nowhere else; ``limits`` may spare it and an operator overrule it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from rebalance.brokers.ballots import discard, unheard
from rebalance.brokers.cluster import Broker, Calls, Spared
from rebalance.brokers.detectors import View, is_well_again, median, view_of
from rebalance.brokers.draft import Draft
from rebalance.brokers.ejections import ejection, end_as_published, prolonged, testers
from rebalance.brokers.events import ReporterId
from rebalance.brokers.findings import Findings, find
from rebalance.brokers.hosting import host
from rebalance.brokers.limits import in_force, last_heard, limit_for, present
from rebalance.brokers.obeying import drop_votes, lapse_as_published
from rebalance.brokers.policy import DETECTORS
from rebalance.ids import BrokerName, Millis

_LISTENERS: Final = 8
"""So many addresses of a broker are remembered, besides its own."""
Views = Mapping[ReporterId, View]


def close(draft: Draft) -> None:
    """Count the votes and decide.

    Those of a sweep in which the log clock stood do not count. All that was reported meanwhile, in
    minutes or hours, would be one sweep: what had been well for long would be judged by its worst.
    """
    if draft.is_stale:
        draft.reporters = unheard(draft.reporters)
    seen = _seen(draft)
    _meet(draft, seen)
    lapse_as_published(draft)
    end_as_published(draft)
    for name in draft.commands:
        drop_votes(draft, name)
    out = frozenset(name for name, broker in draft.brokers.items() if broker.out)
    views = {who: view_of(it, out, draft.policy) for who, it in draft.reporters.items()}
    findings = find(draft, views)
    _notice_panic(draft, findings)
    for name in sorted(draft.brokers):
        _judge(draft, name, views, findings)
    freed = {name for name in out if draft.brokers[name].out is None}
    _eject(draft, findings, freed)
    _forget(draft)
    _open(draft)


def _seen(draft: Draft) -> dict[BrokerName, list[Calls]]:
    """What was seen of each broker, by enough reporters to be believed."""
    seen: dict[BrokerName, list[Calls]] = {}
    for reporter in draft.reporters.values():
        for name, calls in reporter.calls.items():
            seen.setdefault(name, []).append(calls)
    return {
        name: calls
        for name, calls in seen.items()
        if name in draft.brokers or len(calls) >= draft.policy.quorum
    }


def _meet(draft: Draft, seen: Mapping[BrokerName, list[Calls]]) -> None:
    """Enter new brokers, and those that are new under an old name (E10)."""
    for name in draft.brokers.keys() - seen.keys():
        draft.brokers[name] = replace(draft.brokers[name], reports=0, errors=0)
    for name, calls in seen.items():
        broker = draft.brokers.get(name)
        if broker is None:
            if len(draft.brokers) >= draft.policy.brokers_max:
                continue
            broker = Broker(draft.now, draft.now)
        address = _address(draft, calls, broker)
        if address and broker.address and address != broker.address:
            broker = Broker(draft.now, draft.now, place=broker.place)
            draft.items.pop(name, None)
            discard(draft, name)
        draft.brokers[name] = replace(
            broker,
            heard=draft.now,
            address=address or broker.address,
            elsewhere=broker.elsewhere if broker.out else _elsewhere(calls, broker),
            reports=len(calls),
            errors=sum(it.errors for it in calls),
        )


def _address(draft: Draft, calls: Iterable[Calls], broker: Broker) -> str:
    """Where a quorum, and the majority of those that say, find the broker; else nothing.

    A broker has an address for each listener, and producers may use several. So it stays where a
    quorum still finds it. Of one that is out the testers say nothing: they may all use another
    listener than those who took it out. Nor do those who may have found it there before: who does
    not have to send to it is silent.
    """
    said = Counter(it.address for it in calls if it.address)
    if not said or said[broker.address] >= draft.policy.quorum:
        return ""
    if broker.out is not None and said.total() <= len(broker.out.testers):
        return ""
    address, count = max(said.items(), key=lambda it: (it[1], it[0]))
    agreed = count >= draft.policy.quorum and 2 * count > said.total()
    known = broker.out is not None and address in broker.elsewhere
    return address if agreed and not known else ""


def _elsewhere(calls: Iterable[Calls], broker: Broker) -> tuple[str, ...]:
    """Where else some find a broker that is in use: at its other listeners."""
    return tuple(sorted({it.address for it in calls} - {"", broker.address})[:_LISTENERS])


def _notice_panic(draft: Draft, findings: Findings) -> None:
    """When most brokers are unfit, none is (I11); calm has to last two sweeps before that ends."""
    known, ejected = present(draft), in_force(draft).out  # by operators, too
    fit = sum(
        name not in findings.trouble and name not in ejected and not draft.brokers[name].out
        for name in known
    )
    if findings.trouble and 100 * fit < draft.policy.panic_percent * len(known):
        draft.panic_until = Millis(draft.now + 2 * draft.policy.sweep_ms + 1)


def _judge(draft: Draft, name: BrokerName, views: Views, findings: Findings) -> None:
    broker = draft.brokers[name]
    shadow = findings.shadow.get(name)
    on_trial = None if shadow is None else shadow.detector
    broker = replace(broker, shadow=on_trial, spared=None)
    if broker.out is not None:
        broker = _served(draft, name, broker, views)
    else:
        broker = _calmed(draft, broker)
        if name not in findings.judged and name not in findings.trouble:
            broker = _remembered(draft, name, broker, views)
    draft.brokers[name] = broker


def _served(draft: Draft, name: BrokerName, broker: Broker, views: Views) -> Broker:
    """End an ejection when its testers are content, or its time is over and they do not object."""
    assert broker.out is not None
    answers = [
        is_well_again(views[who], name, draft.policy) for who in broker.out.testers if who in views
    ]
    well, ill = answers.count(True), answers.count(False)
    if well >= draft.policy.quorum and well > ill:
        return replace(broker, out=None, calm=draft.now)
    if draft.now + draft.policy.notice_ms < broker.out.until:
        return broker
    if ill >= draft.policy.quorum and ill > well:
        return replace(broker, out=prolonged(draft, name, broker.ejections, broker.out))
    if draft.now < broker.out.until:
        return broker
    return replace(broker, out=None, calm=draft.now)


def _calmed(draft: Draft, broker: Broker) -> Broker:
    """Count ejections down, one for each spell of calm."""
    spells = (draft.now - broker.calm) // draft.policy.decay_ms
    if not spells:
        return broker
    calm = Millis(broker.calm + spells * draft.policy.decay_ms)
    return replace(broker, calm=calm, ejections=max(0, broker.ejections - spells))


def _remembered(draft: Draft, name: BrokerName, broker: Broker, views: Views) -> Broker:
    """Add the sweep's median to the past of a broker that is fit."""
    latencies = tuple(view.latencies[name] for view in views.values() if name in view.latencies)
    if len(latencies) < draft.policy.quorum:
        return broker
    past = (*broker.past, median(latencies))[-draft.policy.past_sweeps :]
    return replace(broker, past=past)


def _eject(draft: Draft, findings: Findings, freed: Collection[BrokerName]) -> None:
    """Take brokers out, as far as the limits allow; the surest evidence first.

    A broker that has just been freed is not taken out again for the same reason.
    """
    for name in freed:
        discard(draft, name)
    if draft.in_panic:
        return
    out, there = set(in_force(draft).out), present(draft)
    rank = {name: DETECTORS.index(it.detector) for name, it in findings.judged.items()}
    for name in sorted(rank, key=lambda it: (rank[it], it)):
        broker, finding = draft.brokers[name], findings.judged[name]
        if broker.out is not None or name in freed:
            continue
        limit = limit_for(draft, there, out, name)
        if limit is None:
            count = broker.ejections + 1
            ruled = ejection(draft, name, count, finding)
            draft.brokers[name] = replace(broker, ejections=count, out=ruled)
            if name not in draft.commands:  # else the operator says whether it is in use
                out.add(name)
        else:
            spared = Spared(finding.detector, finding.reason, limit, finding.voters)
            draft.brokers[name] = replace(broker, spared=spared)


def _forget(draft: Draft) -> None:
    """Let go of reporters, brokers and topics that were not heard of for long.

    While a command stands, the silence of all takes no broker away: an eject would be spared then.
    """
    policy, now = draft.policy, draft.now
    for topic, until in list(draft.leases.items()):
        if now >= until:
            del draft.leases[topic]
            host(draft, topic, frozenset())
    for who, reporter in list(draft.reporters.items()):
        if now - reporter.heard > policy.reporter_ms:
            del draft.reporters[who]
    hosts = {name for brokers in draft.topics.values() for name in brokers}
    last = last_heard(draft) if draft.commands else now
    for name, broker in list(draft.brokers.items()):
        silent = last - broker.heard > policy.broker_ms
        if silent and broker.out is None and name not in hosts and name not in draft.commands:
            del draft.brokers[name]
            draft.items.pop(name, None)


def _open(draft: Draft) -> None:
    """Empty the box for the next sweep, and name its testers."""
    for who, reporter in draft.reporters.items():
        fresh = {
            name: streak
            for name, streak in reporter.streaks.items()
            if draft.now - streak.at <= draft.policy.streak_ms
        }
        draft.reporters[who] = replace(reporter, calls={}, streaks=fresh, tests={})
    for name, broker in draft.brokers.items():
        if broker.out is not None:
            out = broker.out._replace(testers=testers(draft, name, broker))
            draft.brokers[name] = replace(broker, out=out)
