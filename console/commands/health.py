"""`trimtab health`: does the controller here run, and does it commit batches?

For container engines, scripts and people. Reads the controller's readiness file, asks neither Kafka
nor Spark, and starts nothing.
"""

from pathlib import Path
from typing import Annotated

import typer

from console.commands.options import Assignments, ConfigFile, settings_of
from console.errors import ExitCode, Failure
from console.output import write
from console.settings.units import milliseconds, parse_duration

WITHIN = "30s"
"""Ticks make a batch every second or two; one that takes so long answers nobody meanwhile."""


def health(
    *,
    within: Annotated[
        str, typer.Option(metavar="30s", help="How old the last batch may be.")
    ] = WITHIN,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Say whether the controller of this home works: exit code 0, or 3 with the reason.

    It works while it commits batches: then its ticks reach Kafka, are read again, and decisions
    are written. If Kafka is gone, the check fails after --within.

    Examples:
      trimtab health
      trimtab health --within 2m --set home=/var/lib/trimtab
    """
    from streaming.process.readiness import age_s, read

    try:
        patience_s = milliseconds(parse_duration(within)) / 1_000
    except ValueError as error:
        raise Failure(f"--within {error}", ExitCode.USAGE) from error
    home = Path(settings_of(config, assignments).settings.home)
    readiness, age = read(home), age_s(home)
    if readiness is None or age is None:
        reason = (
            f"no controller is running in {home}: it has not committed a batch yet, or has ended"
        )
        raise Failure(reason, ExitCode.UNHEALTHY)
    if age > patience_s:
        reason = f"no batch has been committed for {age:.0f} s: does Kafka answer?"
        raise Failure(reason, ExitCode.UNHEALTHY)
    write(f"working: the last batch was committed {age:.1f} s ago")
