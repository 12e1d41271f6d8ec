"""The `trimtab` command: puts the groups of commands together, and ends every call the same way.

One rule: an expected failure, or a file that cannot be used, is one line on stderr and an exit
code, never a traceback; `--debug` (or TRIMTAB_DEBUG) shows the traceback as well.
"""

import os
import sys
import traceback
from typing import Annotated

import typer
from confluent_kafka import KafkaError, KafkaException

from console.commands import brokers, config, faults, groups, kafka, topics
from console.commands.allocate import allocate
from console.commands.check import check
from console.commands.demo import demo
from console.commands.health import health
from console.commands.help import Command, group
from console.commands.options import Call, call_of
from console.commands.replay import replay
from console.commands.run import run
from console.commands.simulate import simulate
from console.commands.version import version
from console.errors import ExitCode, Failure

app = group()
app.command(cls=Command)(demo)
app.command(cls=Command)(run)
app.command(cls=Command)(health)
app.add_typer(kafka.app, name="kafka")
app.add_typer(topics.app, name="topics")
app.add_typer(config.app, name="config")
app.add_typer(groups.app, name="groups")
app.add_typer(brokers.app, name="brokers")
app.command(cls=Command)(allocate)
app.command(cls=Command)(simulate)
app.command(cls=Command)(replay)
app.command(cls=Command)(check)
app.add_typer(faults.app, name="faults")
app.command(cls=Command)(version)


@app.callback()
def trimtab(
    context: typer.Context,
    *,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
    debug: Annotated[bool, typer.Option(help="Show tracebacks of failures.")] = False,
) -> None:
    """Rebalance consumer groups from one place.

    Examples:
      trimtab demo            watch rebalances happen: Kafka, the controller and live members
      trimtab run             start the controller, on a Kafka of its own unless one is named
      trimtab topics check    check trimtab's topics on that Kafka
      trimtab config show     every setting, its value and where it came from

    Exit codes: 0 ok, 1 error, 2 usage, 3 unhealthy, 4 not found, 5 timed out, 130 interrupted.
    """
    call = call_of(context)
    call.quiet = quiet
    call.debug = debug or call.debug


def _refusal(error: OSError | KafkaException) -> tuple[str, ExitCode]:
    """Say what the machine or Kafka's client refuses: no command can do anything about it."""
    if isinstance(error, KafkaException):
        told = error.args[0]
        if told.code() == KafkaError._INVALID_ARG:  # noqa: SLF001 - librdkafka's own name
            return f"kafka.options: {told.str()}", ExitCode.USAGE
        return f"Kafka: {told.str()}", ExitCode.ERROR
    reason = error.strerror or str(error) or type(error).__name__
    return (reason if error.filename is None else f"{error.filename}: {reason}"), ExitCode.ERROR


def main() -> None:
    """Run the command line; the entry point of the distribution."""
    call = Call(debug=bool(os.environ.get("TRIMTAB_DEBUG")))
    try:
        app(prog_name="trimtab", obj=call)
    except Failure as failure:
        if call.debug:
            traceback.print_exc()
        for line in str(failure).splitlines():
            sys.stderr.write(f"trimtab: {line}\n")
        if failure.details:
            sys.stderr.write(f"{failure.details}\n")
        sys.exit(failure.exit_code)
    except (OSError, KafkaException) as error:
        if call.debug:
            traceback.print_exc()
        reason, exit_code = _refusal(error)
        sys.stderr.write(f"trimtab: {reason}\n")
        sys.exit(exit_code)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    main()
