"""`trimtab health`: does the controller here run, and does it commit batches?

For container engines, scripts and people. Reads the controller's readiness file, asks neither Kafka
nor Spark, and starts nothing.
"""

from pathlib import Path
from typing import Annotated

import typer

from console.commands.options import Assignments, ConfigFile, milliseconds_of, settings_of
from console.errors import ExitCode, Failure
from console.output import write

WITHIN = "30s"
"""Ticks make a batch every second or two; one that takes so long decides nothing meanwhile."""


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
    are written. If Kafka is gone, the check fails after --within. A standby works while it follows.

    Examples:
      trimtab health
      trimtab health --within 2m --set home=/var/lib/trimtab
    """
    patience_s = milliseconds_of("--within", within) / 1_000
    home = Path(settings_of(config, assignments).settings.home)
    try:
        standby, age = _age_of_a_standby(home), None
        if standby is None or standby > patience_s:
            age = _age_of_the_last_batch(home)
    except OSError as error:
        reason = f"{error.filename} cannot be read: {error.strerror}"
        raise Failure(f"{reason}; run this as the user of the controller") from error
    if age is None:
        write("standing by: it follows the active controller, and would take over")
        return
    if age > patience_s:
        reason = f"no batch has been committed for {age:.0f} s: does Kafka answer?"
        raise Failure(reason, ExitCode.UNHEALTHY)
    write(f"working: the last batch was committed {age:.1f} s ago")


def _age_of_a_standby(home: Path) -> float | None:
    """Return how long ago the standby of a home was ready; None: none runs."""
    from console.controller import lock_of
    from streaming.process.readiness import age_s, standby_age_s

    is_standby = lock_of(home).is_held() and age_s(home) is None
    return standby_age_s(home) if is_standby else None


def _age_of_the_last_batch(home: Path) -> float:
    """Return the age of the controller's file, whichever release wrote it, while one runs."""
    from console.controller import lock_of
    from streaming.process.readiness import age_s, lives

    is_locked, lives_on, age = lock_of(home).is_held(), lives(home), age_s(home)
    if not is_locked and not lives_on:
        raise Failure(f"no controller is running in {home}", ExitCode.UNHEALTHY)
    if age is None or lives_on is False:
        reason = (
            f"a controller is running in {home} and has not committed a batch since its start, or "
            "since its query failed: its log says what it is doing"
        )
        raise Failure(reason, ExitCode.UNHEALTHY)
    return age
