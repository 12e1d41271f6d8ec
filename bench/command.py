"""How a bench is run from the command line: help as written, one line for each expected failure.

The same contract as the ``trimtab`` command's: exit code 0 for a measurement, the failure's own
code for an expected failure, 130 when interrupted. Used by each bench's ``__main__``, which names
the one function to run.
"""

import json
import sys
from collections.abc import Callable, Mapping

import typer

from console.commands.help import Command
from console.errors import ExitCode, Failure
from console.output import write


def run(bench: Callable[..., None], name: str) -> None:
    """Run a bench as a command; ``name`` is how it is typed."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(cls=Command)(bench)
    try:
        app(prog_name=name)
    except Failure as failure:
        for line in str(failure).splitlines():
            sys.stderr.write(f"{name}: {line}\n")
        if failure.details:
            sys.stderr.write(f"{failure.details}\n")
        sys.exit(failure.exit_code)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)


def conclude(table: str, headline: Mapping[str, float | int]) -> None:
    """Print the table for people and, as the last line, the figures for programs."""
    write(f"{table}\n")
    write(json.dumps(headline))
