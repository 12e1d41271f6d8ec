"""`trimtab kafka`: the embedded broker, for machines without a Kafka.

It reads the home from the settings, calls ``console.embedded``, and reports in the same words
whether the broker was started, found, or is not there.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.help import Command, group
from console.commands.options import ConfigFile, KeyValues, Output, call_of, settings_of
from console.errors import ExitCode, Failure
from console.output import Format, fields, show, write

if TYPE_CHECKING:
    from console.embedded.instance import BrokerAddress, Instance

app = group()


@app.callback()
def kafka() -> None:
    """A real Kafka on loopback, for a first look and for tests.

    Examples:
      trimtab kafka start     start it and return when it answers
      trimtab kafka status    say where it listens and where its log is
      trimtab kafka stop      stop it; its data stays
    """


@app.command(cls=Command)
def fetch(
    context: typer.Context,
    *,
    rewrite_sums: Annotated[
        bool,
        typer.Option(help="After an edit of deploy/jars/pom.xml: write SHA256SUMS again."),
    ] = False,
) -> None:
    """Fetch the Java archives of Kafka and Spark's connector, and verify them.

    Examples:
      trimtab kafka fetch                   once; later calls only verify
      trimtab kafka fetch --rewrite-sums    accept the archives that an edited pom.xml names
    """
    from console.embedded.jars import JarCache

    cache, progress = JarCache.default(), call_of(context).progress
    if rewrite_sums:
        count = cache.rewrite_sums(progress)
    else:
        cache.fetch(progress)
        count = cache.verify()
    write(f"{count} archives verified in {cache.directory}")


@app.command(cls=Command)
def start(
    context: typer.Context,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            show_default=False,
            help="Port to listen on, 0 for any; otherwise 19092 if it is free.",
        ),
    ] = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Start the embedded Kafka and leave it running.

    Examples:
      trimtab kafka start
      trimtab kafka start --port 9092 --set home=elsewhere
    """
    from console.embedded.broker import start_detached
    from console.embedded.jars import JarCache

    instance = _instance(config, key_values)
    call = call_of(context)
    address, started = start_detached(
        instance, port=port, jars=JarCache.default(), progress=call.progress
    )
    if not started and port not in {None, 0, address.port}:
        reason = f"it is running at port {address.port}, not at {port}"
        raise Failure(f"{reason}: `trimtab kafka stop` first", ExitCode.USAGE)
    state = "running" if started else "already running"
    show(_report(instance, state, address), output, fields(_report(instance, state, address)))


@app.command(cls=Command)
def status(
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Say whether the embedded Kafka runs; exit code 3 if it does not.

    Examples:
      trimtab kafka status
      trimtab kafka status -o json
    """
    from console.embedded.readiness import answers

    instance = _instance(config, key_values)
    address = instance.running()
    if address is None:
        state = "starting" if instance.is_running() else "stopped"
    else:
        is_there = answers(address.bootstrap_servers, instance.cluster)
        state = "running" if is_there else "not answering"
    report = _report(instance, state, address)
    show(report, output, fields(report))
    if state != "running":
        raise typer.Exit(ExitCode.UNHEALTHY)


@app.command(cls=Command)
def stop(context: typer.Context, config: ConfigFile = None, key_values: KeyValues = None) -> None:
    """Stop the embedded Kafka; what it stores stays.

    Examples:
      trimtab kafka stop
    """
    instance = _instance(config, key_values)
    with call_of(context).progress.step("stopping the embedded Kafka"):
        stopped = instance.stop()
    write("stopped" if stopped else f"no Kafka runs in {instance.directory}")


def _instance(config: Path | None, key_values: list[str] | None) -> "Instance":
    from console.embedded.instance import Instance

    return Instance(Path(settings_of(config, key_values).settings.home))


def _report(instance: "Instance", state: str, address: "BrokerAddress | None") -> dict[str, object]:
    return {
        "state": state,
        "bootstrap_servers": address.bootstrap_servers if address else None,
        "process": address.pid if address else None,
        "data": str(instance.data),
        "log": str(instance.log),
    }
