"""Ballots: reports become each reporter's own view of the brokers in a sweep.

However often a reporter speaks in a sweep, it has one vote: its reports are added up. A record that
Kafka delivers twice, or one of a process that has been replaced, is not counted again.

Called by ``step`` for each report, and when what is known of a broker is dropped. Its one rule: a
report changes only its reporter; what is known of brokers is decided by many, when the sweep ends.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rebalance.brokers.cluster import Calls, Reporter, Streak
from rebalance.brokers.decisions import ReportRefused
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import Reported, ReporterId, Sight
from rebalance.ids import BrokerName

_NO_CALLS: Final = Calls()
_SAID_OF: Final = 1_000
"""Of those that are not let in, one report in about so many becomes a dead letter: each would be a
flood for ever. Its place decides, for not all reports have a number."""


def book(draft: Draft, event: Reported) -> list[Sight]:
    """Enter a report; return what counts of it."""
    before = draft.reporters.get(event.reporter)
    if before is None and len(draft.reporters) >= draft.policy.reporters_max:
        _refuse_some(draft, event, f"more than {draft.policy.reporters_max} reporters")
        return []
    if before is not None and _is_old(before, event):
        if event.incarnation != before.incarnation:
            _refuse_some(draft, event, f"a younger producer reports as {event.reporter}, too")
        return []
    sound = [sight for sight in event.sights if sight.is_sound()]
    if len(sound) < len(event.sights):
        _refuse(draft, event, f"{len(event.sights) - len(sound)} figures are impossible")
    reporter = _added(draft, before, event, sound)
    assert len(reporter.calls) <= draft.policy.brokers_max, "what a reporter says is bounded"
    draft.reporters[event.reporter] = _tested(draft, reporter, sound) if draft.is_late else reporter
    return sound


def discard(draft: Draft, name: BrokerName) -> None:
    """Take what was seen of a broker out of the box: it was seen of another one, or before."""
    for who, reporter in draft.reporters.items():
        if name in reporter.calls or name in reporter.streaks:
            calls = {it: calls for it, calls in reporter.calls.items() if it != name}
            streaks = {it: streak for it, streak in reporter.streaks.items() if it != name}
            tests = {it: calls for it, calls in reporter.tests.items() if it != name}
            draft.reporters[who] = replace(reporter, calls=calls, streaks=streaks, tests=tests)


def unheard(reporters: Mapping[ReporterId, Reporter]) -> dict[ReporterId, Reporter]:
    """Return them without what they have said lately; who they are stays known."""
    return {who: replace(it, calls={}, streaks={}, tests={}) for who, it in reporters.items()}


def _refuse_some(draft: Draft, event: Reported, detail: str) -> None:
    if event.stamp.position.offset % _SAID_OF == 0:
        _refuse(draft, event, detail)


def _refuse(draft: Draft, event: Reported, detail: str) -> None:
    draft.decisions.append(ReportRefused(draft.name, event.stamp, detail))


def _is_old(before: Reporter, event: Reported) -> bool:
    if event.incarnation is None or before.incarnation is None:
        return False
    if event.incarnation != before.incarnation:
        return event.incarnation < before.incarnation
    return event.sequence is not None and event.sequence <= (before.sequence or 0)


def _added(draft: Draft, before: Reporter | None, event: Reported, sound: list[Sight]) -> Reporter:
    """Add a window up. This loop runs for every figure that anybody reports, so it is plain."""
    reporter = before or Reporter(draft.now)
    calls, streaks = dict(reporter.calls), dict(reporter.streaks)
    for sight in sound:
        broker, made, errors = sight[:3]
        if not made or (broker not in calls and len(calls) >= draft.policy.brokers_max):
            continue
        calls[broker] = calls.get(broker, _NO_CALLS).plus(sight)
        if errors == made:
            _count_streak(draft, streaks, sight)
        elif streaks:
            streaks.pop(broker, None)
    return replace(
        reporter,
        heard=draft.now,
        incarnation=event.incarnation or reporter.incarnation,
        sequence=reporter.sequence if event.sequence is None else event.sequence,
        calls=calls,
        streaks=streaks,
    )


def _tested(draft: Draft, reporter: Reporter, sound: list[Sight]) -> Reporter:
    """Add up apart what was seen of brokers that are out."""
    tests = dict(reporter.tests)
    for sight in sound:
        broker = draft.brokers.get(sight.broker)
        if sight.made and broker is not None and broker.out is not None:
            tests[sight.broker] = tests.get(sight.broker, _NO_CALLS).plus(sight)
    return replace(reporter, tests=tests) if tests else reporter


def _count_streak(draft: Draft, streaks: dict[BrokerName, Streak], sight: Sight) -> None:
    failed = sight.errors + (streaks[sight.broker].failures if sight.broker in streaks else 0)
    streaks[sight.broker] = Streak(min(failed, draft.policy.failures_min), draft.now)
