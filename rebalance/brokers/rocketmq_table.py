"""RocketMQ's fault table in place of the jury: each report decides by itself.

For clusters that want the same verdicts as their RocketMQ clients would reach, but shared. One
report is enough to take a broker out, so one wrong report is, too; only the limits and the
operators protect against it, as they do with the jury.

Called by ``step`` for each report, in the modes that are named after RocketMQ. All figures are in
``trimtab.faults``.
"""

from collections.abc import Iterable
from dataclasses import replace

from rebalance.brokers.cluster import Broker, Out
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import Sight
from rebalance.ids import Millis
from trimtab.faults import RULES, FaultItem, FaultRules

WORTH_SAYING_MS = 1_000
"""An ejection that grows by less is not published: reports may come by the thousand a second."""


def judge(draft: Draft, sights: Iterable[Sight]) -> bool:
    """Enter what was seen; return whether there is something to say.

    A broker that is heard of for the first time may leave room for what a limit has forbidden.
    """
    mode = draft.policy.mode
    if mode == "consensus":
        return False
    known = len(draft.brokers)
    news = [_update(draft, sight, RULES[mode]) for sight in sights if sight.made]
    return any(news) or (len(draft.brokers) > known and draft.is_disputed)


def expire(draft: Draft) -> bool:
    """End the ejections whose time is over; return whether there were any."""
    over = [
        name
        for name, broker in draft.brokers.items()
        if broker.out is not None and broker.out.by_time_alone and draft.now >= broker.out.until
    ]
    for name in over:
        draft.brokers[name] = replace(draft.brokers[name], out=None, calm=draft.now)
    return bool(over)


def _update(draft: Draft, sight: Sight, rules: FaultRules) -> bool:
    name = sight.broker
    broker = draft.brokers.get(name)
    if broker is None:
        if len(draft.brokers) >= draft.policy.brokers_max:
            return False
        broker = Broker(draft.now, draft.now)
    item = draft.items.get(name, FaultItem(broker=name))
    item = _entered(item, sight, draft.now, rules)
    draft.items[name] = item
    out = _out(draft, broker, item, rules)
    draft.brokers[name] = replace(broker, heard=draft.now, out=out)
    told = draft.told.get(name)
    until = None if out is None else out.until_ms
    if told is None or told.until_ms is None or until is None:
        return until != (None if told is None else told.until_ms)
    return until - told.until_ms >= WORTH_SAYING_MS


def _entered(item: FaultItem, sight: Sight, now: Millis, rules: FaultRules) -> FaultItem:
    """Enter the worst calls that a window proves: a client would have entered each of its calls.

    The slowest one is proved to have come back only if none failed. A failure comes last, because
    in 4.x the last call alone counts, and a failure is the worst there.
    """
    latency_ms = sight.latency_ms
    if sight.errors == 0 and sight.slowest_ms is not None:
        latency_ms = sight.slowest_ms
    for failed in (False,) * (sight.successes > 0) + (True,) * (sight.errors > 0):
        item = item.updated(int(latency_ms), now, rules, isolation=failed, reachable=True)
    return item


def _out(draft: Draft, broker: Broker, item: FaultItem, rules: FaultRules) -> Out | None:
    if item.is_available(draft.now, rules.generation):
        return None
    until = Millis(item.start_timestamp)
    if broker.out is not None and broker.out.until == until:
        return broker.out  # it ends as was said: readers do not wait while the log clock stands
    since = draft.published(draft.now) if broker.out is None else broker.out.since_ms
    return Out(
        rules.generation,
        f"a call took {item.current_latency} ms, or failed",
        since_ms=since,
        until_ms=draft.published(until),
        tested_from=until,  # without testers: in these modes only time ends an ejection
        until=until,
    )
