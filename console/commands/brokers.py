"""`trimtab brokers`: which brokers are fit for use, and commands about them.

Reading is in ``console.verdicts``, writing in ``console.operator_commands``. A command
carries the caller's name and a reason, which the verdict repeats.
"""

import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from console.cluster import bootstrap_servers
from console.commands.help import Command, group
from console.commands.options import (
    Assignments,
    ConfigFile,
    Lasting,
    Output,
    settings_of,
    until_of,
)
from console.output import Format, columns, show, write
from console.settings import Settings
from trimtab import protocol
from trimtab.protocol import Eject, Forget, Restore, Verdict

app = group()

Broker = Annotated[str, typer.Argument(help="The broker's name, as producers report it.")]
Cluster = Annotated[str, typer.Option("--cluster", help="Its cluster.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; the verdict repeats it.")]


@app.callback()
def brokers() -> None:
    """The brokers that producers use, by the controller's verdicts.

    Examples:
      trimtab brokers list
      trimtab brokers eject broker-a --cluster east --for 1h --reason "new disk"
      trimtab brokers restore broker-a --cluster east --reason "disk is in"
    """


@app.command("list", cls=Command)
def list_brokers(
    *,
    cluster: Annotated[str | None, typer.Option(help="Only this cluster.")] = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
    output: Output = Format.TABLE,
) -> None:
    """Show the newest verdict on each broker.

    STATE is available, out, or panic: too many are unfit, and health is ignored. A verdict that has
    lapsed counts as available. SHADOW names a detector that would take it out, and is not enforced.

    Examples:
      trimtab brokers list
      trimtab brokers list --cluster east -o json
    """
    from console.verdicts import standing

    settings = settings_of(config, assignments).settings
    verdicts = standing(settings, bootstrap_servers(settings))
    rows = [_row(it) for it in verdicts if cluster is None or it.cluster == cluster]
    names = ("cluster", "broker", "state", "since", "until", "detector", "shadow", "reason")
    show({"brokers": rows}, output, columns(rows, *names))


@app.command(cls=Command)
def eject(
    broker: Broker,
    *,
    cluster: Cluster,
    reason: Reason,
    lasting: Lasting = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Take a broker out of use, until the time is over or another command replaces this one.

    The last broker of a topic, and the last of all, is spared: `list` says so.

    Examples:
      trimtab brokers eject broker-a --cluster east --for 1h --reason "new disk"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, cluster, reason, Eject, broker=broker, until_ms=until_of(lasting))


@app.command(cls=Command)
def restore(
    broker: Broker,
    *,
    cluster: Cluster,
    reason: Reason,
    lasting: Lasting = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Put a broker back into use; with --for, the detectors cannot eject it until then.

    Examples:
      trimtab brokers restore broker-a --cluster east --reason "disk is in"
      trimtab brokers restore broker-a --cluster east --for 1d --reason "slow by design"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, cluster, reason, Restore, broker=broker, until_ms=until_of(lasting))


@app.command(cls=Command)
def forget(
    broker: Broker,
    *,
    cluster: Cluster,
    reason: Reason,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Forget a broker's history and all commands about it; new reports make it known again.

    Examples:
      trimtab brokers forget broker-a --cluster east --reason "another machine"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, cluster, reason, Forget, broker=broker)


def _order(
    settings: Settings,
    cluster: str,
    reason: str,
    kind: type[protocol.Command],
    **said: object,
) -> None:
    from console.operator_commands import Address, send_command

    command = send_command(settings, Address("--cluster", cluster), reason, kind, **said)
    write(f"sent: {command.kind} {said['broker']} of {cluster} ({command.id})")


def _row(verdict: Verdict) -> dict[str, object]:
    lapsed = verdict.until_ms is not None and verdict.until_ms <= time.time_ns() // 1_000_000
    fit = "panic" if verdict.panic else "available"
    return {
        "cluster": verdict.cluster,
        "broker": verdict.broker,
        "state": fit if verdict.available or lapsed else "out",
        "since": _said(verdict.since_ms),
        "until": None if verdict.until_ms is None else _said(verdict.until_ms),
        "detector": verdict.detector,
        "shadow": verdict.shadow,
        "reason": verdict.reason,
    }


def _said(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
