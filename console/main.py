"""The `trimtab` command: puts the groups of commands together, and ends every call the same way.

One rule: an expected failure, or a file that cannot be used, is one line on stderr and an exit
code, never a traceback; `--debug` (or TRIMTAB_DEBUG) shows the traceback as well.
"""

import os
import sys
import traceback
from contextlib import suppress
from importlib.metadata import version as installed
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from console.commands import (
    brokers,
    config,
    controllers,
    deadletters,
    faults,
    groups,
    kafka,
    members,
    queues,
    topics,
)
from console.commands.allocate import allocate
from console.commands.check import check
from console.commands.completion import completion
from console.commands.completion import prepare as complete
from console.commands.demo import demo
from console.commands.doctor import doctor
from console.commands.health import health
from console.commands.help import Command, group
from console.commands.options import Call, call_of
from console.commands.plan import plan
from console.commands.prepare import prepare
from console.commands.recover import recover
from console.commands.replay import replay
from console.commands.run import run
from console.commands.simulate import simulate
from console.commands.top import top
from console.commands.version import version
from console.errors import ExitCode, Failure
from console.output import write

app = group()
app.command(cls=Command)(demo)
app.command(cls=Command)(run)
app.command(cls=Command)(health)
app.command(cls=Command)(doctor)
app.command(cls=Command)(recover)
app.command(cls=Command)(top)
app.add_typer(kafka.app, name="kafka")
app.add_typer(topics.app, name="topics")
app.add_typer(config.app, name="config")
app.add_typer(groups.app, name="groups")
app.add_typer(queues.app, name="queues")
app.add_typer(members.app, name="members")
app.add_typer(brokers.app, name="brokers")
app.add_typer(deadletters.app, name="deadletters")
app.add_typer(controllers.app, name="controllers")
app.command(cls=Command)(plan)
app.command(cls=Command)(allocate)
app.command(cls=Command)(simulate)
app.command(cls=Command)(replay)
app.command(cls=Command)(check)
app.add_typer(faults.app, name="faults")
app.command(cls=Command)(prepare)
app.command(cls=Command)(completion)
app.command(cls=Command)(version)


def _print_version(asked: bool) -> None:
    if asked:
        write(f"trimtab {installed('trimtab-controller')}")
        raise typer.Exit(ExitCode.OK)


@app.callback()
def trimtab(
    context: typer.Context,
    *,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
    debug: Annotated[bool, typer.Option(help="Show tracebacks of failures.")] = False,
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version; `trimtab version` says more.",
            is_eager=True,
            callback=_print_version,
        ),
    ] = False,
) -> None:
    """Rebalance consumer groups from one place.

    Examples:
      trimtab demo            watch rebalances happen: Kafka, the controller and live members
      trimtab run             start the controller, on a Kafka of its own unless one is named
      trimtab groups list     which groups there are, and how each is
      trimtab doctor          what is wrong, and what to do about it
      trimtab config show     every setting, its value and where it came from

    Exit codes: 0 ok, 1 error, 2 usage, 3 unhealthy, 4 not found, 5 timed out, 6 it hung,
    7 another controller is at work, 130 interrupted.
    """
    call = call_of(context)
    call.quiet = quiet
    call.debug = debug or call.debug


def _expected(error: Exception) -> Failure | None:
    """Return an expected failure; None: it is a defect of ours.

    What the machine or Kafka's client refuses is expected: no command can do anything about it.
    """
    if isinstance(error, Failure):
        return error
    if isinstance(error, OSError):
        reason = error.strerror or str(error) or type(error).__name__
        return Failure(reason if error.filename is None else f"{error.filename}: {reason}")
    if "confluent_kafka" not in sys.modules:
        return None
    from confluent_kafka import KafkaError, KafkaException

    if not isinstance(error, KafkaException):
        return None
    told = error.args[0]
    if told.code() == KafkaError._INVALID_ARG:  # noqa: SLF001 - librdkafka's own name
        return Failure(f"kafka.options: {told.str()}", ExitCode.USAGE)
    return Failure(f"Kafka: {told.str()}")


def _say_what_can_be_said() -> None:
    """Let a name that the terminal's encoding lacks be escaped, and not end the command.

    Who has closed stdout or stderr (`>&-`) wants nothing of it.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r+"))  # noqa: SIM115 - until we end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _check_text() -> None:
    """Refuse an argument that is no text: no name of ours can be spelt so."""
    for argument in sys.argv[1:]:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise Failure(f"{argument}: is not UTF-8 text", ExitCode.USAGE) from error


def _say_why(failure: Failure, error: Exception, call: Call) -> None:
    """Write the last line; in JSON it is one whatever there is to say."""
    if call.in_json:
        from console import logs

        details = {"details": failure.details} if failure.details else {}
        trace = error if call.debug else None
        logs.last_line(str(failure), error=trace, exit_code=failure.exit_code, **details)
        return
    if call.debug:
        traceback.print_exc()
    from console.encoding import visible

    for line in str(failure).splitlines():  # it may quote what a server says
        sys.stderr.write(f"trimtab: {visible(line)}\n")
    if failure.details:
        sys.stderr.write(f"{failure.details}\n")


def main() -> None:
    """Run the command line; the entry point of the distribution."""
    call = Call(debug=bool(os.environ.get("TRIMTAB_DEBUG")))
    _say_what_can_be_said()
    try:
        try:
            _check_text()
            complete()
            app(prog_name="trimtab", obj=call)
        finally:
            sys.stdout.flush()  # a full disk shows here, and not when Python ends
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # Whoever read us has read enough; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.ERROR)
    except Exception as error:
        failure = _expected(error)
        if failure is None:
            raise
        with suppress(OSError):  # a full disk: the code says it all the same
            _say_why(failure, error, call)
        sys.exit(failure.exit_code)


if __name__ == "__main__":
    main()
