"""The stored form of a cluster: what the jury remembers of its brokers and reporters.

Calls are tuples, because there are as many as reporters times brokers. Used by ``packed``.
"""

from operator import attrgetter
from typing import Final

from rebalance.brokers.cluster import Calls, Cluster, Reporter, Streak
from rebalance.brokers.events import ClusterName, ReporterId
from rebalance.ids import BrokerName, Incarnation, Millis, TopicName
from streaming.cell.stored.brokers import (
    BrokerForm,
    CommandForm,
    ItemForm,
    VerdictForm,
    broker,
    broker_form,
    command,
    command_form,
    item,
    item_form,
    verdict,
    verdict_form,
)
from streaming.cell.stored.form import Form

CallsForm = tuple[int, int, float, str]
"""Made, of them errors, sum of latencies, address. A tuple, because there are so many."""
StreakForm = tuple[int, Millis]
"""Failures, and when the last one was heard of."""

_CALLS: Final = attrgetter("made", "errors", "latency_sum", "address")
_STREAK: Final = attrgetter("failures", "at")


class ReporterForm(Form):
    """A producer that reports."""

    heard: Millis
    incarnation: Incarnation | None
    sequence: int | None
    calls: dict[BrokerName, CallsForm]
    streaks: dict[BrokerName, StreakForm]
    tests: dict[BrokerName, CallsForm]


class ClusterForm(Form):
    """A cluster."""

    name: ClusterName
    now: Millis
    appended: Millis
    sweep_ends: Millis | None
    panic_until: Millis
    reporters: dict[ReporterId, ReporterForm]
    brokers: dict[BrokerName, BrokerForm]
    commands: dict[BrokerName, CommandForm]
    topics: dict[TopicName, list[BrokerName]]
    leases: dict[TopicName, Millis]
    items: dict[BrokerName, ItemForm]
    told: dict[BrokerName, VerdictForm]
    renewed: Millis


def cluster_form(cluster: Cluster) -> ClusterForm:
    """Return what is stored of a cluster."""
    return ClusterForm(
        name=cluster.name,
        now=cluster.now,
        appended=cluster.swept,
        sweep_ends=cluster.sweep_ends,
        panic_until=cluster.panic_until,
        reporters={name: _reporter_form(it) for name, it in cluster.reporters.items()},
        brokers={name: broker_form(it) for name, it in cluster.brokers.items()},
        commands={name: command_form(it) for name, it in cluster.commands.items()},
        topics={name: sorted(it) for name, it in cluster.topics.items()},
        leases=dict(cluster.leases),
        items={name: item_form(it) for name, it in cluster.items.items()},
        told={name: verdict_form(it) for name, it in cluster.told.items()},
        renewed=cluster.renewed,
    )


def cluster(form: ClusterForm) -> Cluster:
    """Return the cluster that was stored."""
    return Cluster(
        name=form.name,
        now=form.now,
        swept=form.appended,
        sweep_ends=form.sweep_ends,
        panic_until=form.panic_until,
        reporters={name: _reporter(it) for name, it in form.reporters.items()},
        brokers={name: broker(it) for name, it in form.brokers.items()},
        commands={name: command(it) for name, it in form.commands.items()},
        topics={name: frozenset(it) for name, it in form.topics.items()},
        leases=form.leases,
        items={name: item(it) for name, it in form.items.items()},
        told={name: verdict(it) for name, it in form.told.items()},
        renewed=form.renewed,
    )


def _reporter_form(reporter: Reporter) -> ReporterForm:
    return ReporterForm(
        heard=reporter.heard,
        incarnation=reporter.incarnation,
        sequence=reporter.sequence,
        calls=dict(zip(reporter.calls, map(_CALLS, reporter.calls.values()), strict=True)),
        streaks=dict(zip(reporter.streaks, map(_STREAK, reporter.streaks.values()), strict=True)),
        tests=dict(zip(reporter.tests, map(_CALLS, reporter.tests.values()), strict=True)),
    )


def _reporter(form: ReporterForm) -> Reporter:
    return Reporter(
        heard=form.heard,
        incarnation=form.incarnation,
        sequence=form.sequence,
        calls={name: _calls(it) for name, it in form.calls.items()},
        streaks={name: _streak(it) for name, it in form.streaks.items()},
        tests={name: _calls(it) for name, it in form.tests.items()},
    )


def _calls(form: CallsForm) -> Calls:
    made, errors, latency_sum, address = form
    return Calls(made=made, errors=errors, latency_sum=latency_sum, address=address)


def _streak(form: StreakForm) -> Streak:
    failures, at = form
    return Streak(failures=failures, at=at)
