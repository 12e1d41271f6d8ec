"""`trimtab brokers`: which brokers are fit for use, and commands about them.

Reading is in ``console.published``, writing in ``console.operator_commands``. A command carries the
caller's name and a reason, which the verdict repeats.
"""

from typing import Annotated

import typer

from console.commands.commanding import Asked, command_broker
from console.commands.group_views import (
    DAY,
    Since,
    UpTo,
    at_work,
    note_left_out,
    published_by,
    remark_on,
    since_before,
)
from console.commands.help import Command, group
from console.commands.options import (
    ConfigFile,
    DryRun,
    KeyValues,
    Lasting,
    NoWait,
    Output,
    Patience,
    Until,
    Watch,
    as_given,
    now_ms,
    past_of,
    settings_of,
    span_of,
    until_of,
)
from console.errors import ExitCode, Failure
from console.output import Format, Listing, Shown
from console.watching import watched

app = group()

Broker = Annotated[str, typer.Argument(help="The broker's name, as producers report it.")]
Cluster = Annotated[str, typer.Option("--cluster", help="Its cluster.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; the verdict repeats it.")]
Force = Annotated[bool, typer.Option("--force", help="Also if no verdict names the broker yet.")]


@app.callback()
def brokers() -> None:
    """The brokers that producers use, by the controller's verdicts.

    Examples:
      trimtab brokers list
      trimtab brokers explain broker-a --cluster east
      trimtab brokers history --cluster east --since 2h
      trimtab brokers eject broker-a --cluster east --for 1h --reason "new disk"
      trimtab brokers restore broker-a --cluster east --reason "disk is in"
    """


@app.command("list", cls=Command)
def list_brokers(
    context: typer.Context,
    *,
    cluster: Annotated[str | None, typer.Option(help="Only this cluster.")] = None,
    watch: Watch = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show the newest verdict on each broker.

    STATE is available, out, or panic: too many are unfit, and health is ignored. A verdict that has
    lapsed counts as available. SHADOW names a detector that would take it out, and is not enforced.

    Examples:
      trimtab brokers list
      trimtab brokers list --cluster east -o json
    """
    published = published_by(config, key_values)

    def draw() -> Shown:
        from console.names import the_known
        from console.published import at_once
        from console.views import brokers as view

        verdicts = at_once(published.verdicts)
        rows = view.rows(verdicts.values(), now_ms(), cluster)
        if cluster is not None and not watch:
            note_left_out(published)
            the_known("cluster", cluster, {key.cluster for key in verdicts})
        return Listing("brokers", rows, view.NARROW, view.WIDE).shown(output)

    watched(draw, output, watch=watch, remarks=at_work(published))
    remark_on(published, context)


@app.command(cls=Command)
def explain(
    context: typer.Context,
    broker: Broker,
    *,
    cluster: Cluster,
    since: Since = "30d",
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Say why a broker is in or out of use: its verdicts, oldest first, the newest last.

    VOTERS are the first few reporters on whose word it is out; REASON says how many there were.
    UNTIL is what each verdict said; the next one says when it really came back.

    Examples:
      trimtab brokers explain broker-a --cluster east
    """
    from console.names import unknown
    from console.published import at_once
    from console.views import brokers as view
    from trimtab.protocol import Verdict

    begin = past_of("--since", since)
    published = published_by(config, key_values)
    noted = [it.entry for it in at_once(lambda: published.history(cluster, begin))]
    verdicts = at_once(published.verdicts)  # after the history: none in it is newer
    now = next((it for key, it in verdicts.items() if key == (cluster, broker)), None)
    if now is None:
        note_left_out(published)
        known = [key.broker for key in verdicts if key.cluster == cluster]
        raise Failure(unknown(f"broker of {cluster}", broker, known), ExitCode.NOT_FOUND)
    told = [it for it in noted if isinstance(it, Verdict) and it.broker == broker]
    rows = view.explained(told, now, now_ms())
    Listing("verdicts", rows, view.EXPLAINED, view.BEYOND).show(output)
    remark_on(published, context)


@app.command(cls=Command)
def history(
    context: typer.Context,
    *,
    cluster: Cluster,
    since: Annotated[str | None, since_before(DAY)] = None,
    until: UpTo = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show what happened to a cluster: verdicts, answers to commands, what failed; oldest first.

    Examples:
      trimtab brokers history --cluster east --since 2h
      trimtab brokers history --cluster east --since 03:10 --until 03:15 -o wide
    """
    from console.names import the_known
    from console.published import at_once
    from console.views import history as view

    begin, end = span_of(since, until, back=DAY)
    published = published_by(config, key_values)
    rows = view.rows(at_once(lambda: published.history(cluster, begin)), end)
    if not rows and not at_once(lambda: published.history(cluster)):
        note_left_out(published)
        the_known("cluster", cluster, {key.cluster for key in at_once(published.verdicts)})
    Listing("history", rows, view.NARROW, view.WIDE).show(output)
    remark_on(published, context)


@app.command(cls=Command)
def eject(
    broker: Broker,
    *,
    cluster: Cluster,
    reason: Reason,
    lasting: Lasting = None,
    until: Until = None,
    force: Force = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Take a broker out of use, until the time is over or another command replaces this one.

    The last broker of a topic, and the last one of the cluster, stays in use: `list` says so.

    Examples:
      trimtab brokers eject broker-a --cluster east --for 1h --reason "new disk"
      trimtab brokers eject broker-a --cluster east --reason "new disk" --dry-run
    """
    settings = settings_of(config, key_values).settings
    command_broker(
        settings,
        cluster,
        "eject",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        broker=broker,
        until_ms=until_of(lasting, until),
        force=force,
    )


@app.command(cls=Command)
def restore(
    broker: Broker,
    *,
    cluster: Cluster,
    reason: Reason,
    lasting: Lasting = None,
    until: Until = None,
    force: Force = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Put a broker back into use; with an end, the detectors cannot eject it until then.

    Examples:
      trimtab brokers restore broker-a --cluster east --reason "disk is in"
      trimtab brokers restore broker-a --cluster east --for 1d --reason "slow by design"
    """
    settings = settings_of(config, key_values).settings
    command_broker(
        settings,
        cluster,
        "restore",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        broker=broker,
        until_ms=until_of(lasting, until),
        force=force,
    )


@app.command(cls=Command)
def forget(
    broker: Broker,
    *,
    cluster: Cluster,
    reason: Reason,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Forget a broker's history and all commands about it; new reports make it known again.

    Examples:
      trimtab brokers forget broker-a --cluster east --reason "another machine"
    """
    settings = settings_of(config, key_values).settings
    command_broker(
        settings,
        cluster,
        "forget",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        broker=broker,
    )
