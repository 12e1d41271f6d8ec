"""The stored forms of brokers: their records, what operators want of them, and what was said.

Each form is followed by its conversions in the order of the forms. Part of ``cluster``.
"""

from rebalance.brokers.cluster import Broker, Out, Spared, StandingCommand
from rebalance.brokers.decisions import VerdictIssued
from rebalance.brokers.events import ClusterName, ReporterId
from rebalance.ids import BrokerName, Millis
from streaming.cell.stored.form import Form
from trimtab.faults import FaultItem


class OutForm(Form):
    """An ejection."""

    detector: str
    reason: str
    since_ms: Millis
    until_ms: Millis
    tested_from: Millis
    until: Millis
    testers: tuple[ReporterId, ...]
    voters: tuple[ReporterId, ...] = ()
    callers: tuple[ReporterId, ...] = ()


class SparedForm(Form):
    """An ejection that a limit forbade."""

    detector: str
    reason: str
    limit: str
    voters: tuple[ReporterId, ...] = ()


class BrokerForm(Form):
    """A broker and its record."""

    heard: Millis
    calm: Millis
    address: str
    place: str
    past: tuple[float, ...]
    ejections: int
    out: OutForm | None
    shadow: str | None
    spared: SparedForm | None
    reports: int
    errors: int
    elsewhere: tuple[str, ...] = ()


class CommandForm(Form):
    """What an operator wants."""

    available: bool
    reason: str
    since_ms: Millis
    until_ms: Millis | None
    until: Millis | None
    heard: Millis = Millis(0)


class ItemForm(Form):
    """A row of RocketMQ's table."""

    broker: str
    current_latency: int
    start_timestamp: int
    check_stamp: int
    reachable: bool


class VerdictForm(Form):
    """What was last published of a broker."""

    cluster: ClusterName
    broker: BrokerName
    available: bool
    since_ms: Millis
    until_ms: Millis | None
    reason: str
    detector: str | None
    panic: bool
    testers: tuple[ReporterId, ...]
    shadow: str | None
    reports: int
    errors: int
    turned: bool
    voters: tuple[ReporterId, ...] = ()


def broker_form(broker: Broker) -> BrokerForm:
    """Return what is stored of a broker."""
    return BrokerForm(
        heard=broker.heard,
        calm=broker.calm,
        address=broker.address,
        place=broker.place,
        past=broker.past,
        ejections=broker.ejections,
        out=None if broker.out is None else _out_form(broker.out),
        shadow=broker.shadow,
        spared=None if broker.spared is None else _spared_form(broker.spared),
        reports=broker.reports,
        errors=broker.errors,
        elsewhere=broker.elsewhere,
    )


def broker(form: BrokerForm) -> Broker:
    """Return the broker that was stored."""
    return Broker(
        heard=form.heard,
        calm=form.calm,
        address=form.address,
        place=form.place,
        past=form.past,
        ejections=form.ejections,
        out=None if form.out is None else _out(form.out),
        shadow=form.shadow,
        spared=None if form.spared is None else _spared(form.spared),
        reports=form.reports,
        errors=form.errors,
        elsewhere=form.elsewhere,
    )


def _out_form(out: Out) -> OutForm:
    return OutForm(
        detector=out.detector,
        reason=out.reason,
        since_ms=out.since_ms,
        until_ms=out.until_ms,
        tested_from=out.tested_from,
        until=out.until,
        testers=out.testers,
        voters=out.voters,
        callers=out.callers,
    )


def _out(form: OutForm) -> Out:
    return Out(
        detector=form.detector,
        reason=form.reason,
        since_ms=form.since_ms,
        until_ms=form.until_ms,
        tested_from=form.tested_from,
        until=form.until,
        testers=form.testers,
        voters=form.voters,
        callers=form.callers,
    )


def _spared_form(spared: Spared) -> SparedForm:
    return SparedForm(
        detector=spared.detector, reason=spared.reason, limit=spared.limit, voters=spared.voters
    )


def _spared(form: SparedForm) -> Spared:
    return Spared(detector=form.detector, reason=form.reason, limit=form.limit, voters=form.voters)


def command_form(command: StandingCommand) -> CommandForm:
    """Return what is stored of a command."""
    return CommandForm(
        available=command.available,
        reason=command.reason,
        since_ms=command.since_ms,
        until_ms=command.until_ms,
        until=command.until,
        heard=command.heard,
    )


def command(form: CommandForm) -> StandingCommand:
    """Return the command that was stored."""
    return StandingCommand(
        available=form.available,
        reason=form.reason,
        since_ms=form.since_ms,
        until_ms=form.until_ms,
        until=form.until,
        heard=form.heard,
    )


def item_form(item: FaultItem) -> ItemForm:
    """Return what is stored of a row of the table."""
    return ItemForm(
        broker=item.broker,
        current_latency=item.current_latency,
        start_timestamp=item.start_timestamp,
        check_stamp=item.check_stamp,
        reachable=item.reachable,
    )


def item(form: ItemForm) -> FaultItem:
    """Return the row that was stored."""
    return FaultItem(
        broker=form.broker,
        current_latency=form.current_latency,
        start_timestamp=form.start_timestamp,
        check_stamp=form.check_stamp,
        reachable=form.reachable,
    )


def verdict_form(verdict: VerdictIssued) -> VerdictForm:
    """Return what is stored of a verdict."""
    return VerdictForm(
        cluster=verdict.cluster,
        broker=verdict.broker,
        available=verdict.available,
        since_ms=verdict.since_ms,
        until_ms=verdict.until_ms,
        reason=verdict.reason,
        detector=verdict.detector,
        panic=verdict.panic,
        testers=verdict.testers,
        shadow=verdict.shadow,
        reports=verdict.reports,
        errors=verdict.errors,
        turned=verdict.turned,
        voters=verdict.voters,
    )


def verdict(form: VerdictForm) -> VerdictIssued:
    """Return the verdict that was stored."""
    return VerdictIssued(
        cluster=form.cluster,
        broker=form.broker,
        available=form.available,
        since_ms=form.since_ms,
        until_ms=form.until_ms,
        reason=form.reason,
        detector=form.detector,
        panic=form.panic,
        testers=form.testers,
        shadow=form.shadow,
        reports=form.reports,
        errors=form.errors,
        turned=form.turned,
        voters=form.voters,
    )
