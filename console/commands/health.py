"""`trimtab health`: does the controller here run, and does it commit batches?

For container engines, scripts and people. Reads the controller's readiness file, asks neither Kafka
nor Spark, and starts nothing.
"""

from pathlib import Path
from typing import Annotated, Final

import typer

from console.commands.options import (
    ConfigFile,
    KeyValues,
    Output,
    milliseconds_of,
    settings_of,
)
from console.errors import ExitCode, Failure
from console.output import Format, show

_UNWELL: Final = "not well"
WITHIN = "30s"
"""Ticks make a batch every second or two; one that takes so long decides nothing meanwhile."""


def health(
    *,
    within: Annotated[
        str, typer.Option(metavar="30s", help="How old the last batch may be.")
    ] = WITHIN,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Say whether the controller of this home works: exit code 0, or 3 with the reason.

    STATE is working, standing by, or not well.

    It works while it commits batches: then its ticks reach Kafka, are read again, and decisions
    are written. If Kafka is gone, the check fails after --within. A standby works while it follows.

    Examples:
      trimtab health
      trimtab health --within 2m --set home=/var/lib/trimtab
      trimtab health -o json
    """
    patience_s = milliseconds_of("--within", within) / 1_000
    home = Path(settings_of(config, key_values).settings.home)
    try:
        told = _examined(home, patience_s)
    except OSError as error:
        reason = f"{error.filename} cannot be read: {error.strerror}"
        raise Failure(f"{reason}; run this as the user of the controller") from error
    is_well = told["state"] != _UNWELL
    if output in {Format.TABLE, Format.WIDE} and not is_well:
        raise Failure(str(told["detail"]), ExitCode.UNHEALTHY)
    show(told, output, f"{told['state']}: {told['detail']}")
    if not is_well:
        raise typer.Exit(ExitCode.UNHEALTHY)


def _examined(home: Path, patience_s: float) -> dict[str, object]:
    """Describe the controller of a home; the same fields for each."""
    standby = _age_of_a_standby(home)
    if standby is not None and standby <= patience_s:
        detail = "it follows the active controller, and takes over when that one stops"
        return {"state": "standing by", "batch_age_s": None, "detail": detail}
    age, reason = _age_of_the_last_batch(home)
    if age is None:
        state, detail = _UNWELL, reason
    elif age > patience_s:
        state, detail = _UNWELL, f"no batch has been committed for {age:.0f} s: does Kafka answer?"
    else:
        state, detail = "working", f"the last batch was committed {age:.1f} s ago"
    return {"state": state, "batch_age_s": age, "detail": detail}


def _age_of_a_standby(home: Path) -> float | None:
    """Return how long ago the standby of a home was ready; None: none runs."""
    from console.controller import lock_of
    from streaming.process.readiness import age_s, standby_age_s

    is_standby = lock_of(home).is_held() and age_s(home) is None
    return standby_age_s(home) if is_standby else None


def _age_of_the_last_batch(home: Path) -> tuple[float | None, str]:
    """Return the age of the controller's file, whichever release wrote it, or why there is none."""
    from console.controller import lock_of
    from streaming.process.readiness import age_s, lives

    is_locked, lives_on, age = lock_of(home).is_held(), lives(home), age_s(home)
    if not is_locked and not lives_on:
        return None, f"no controller is running in {home}"
    if age is None or lives_on is False:
        reason = (
            f"a controller is running in {home} and has not committed a batch since its start, or "
            "since its query failed: its log says what it is doing"
        )
        return None, reason
    return age, ""
