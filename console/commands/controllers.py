"""`trimtab controllers`: which controllers there are, and how they are doing.

Reads the topic `controllers`, so it works from wherever Kafka can be read.
"""

import time
from typing import Annotated, Final

import typer

from console.cluster import bootstrap_servers
from console.commands.help import Command, group
from console.commands.options import Assignments, ConfigFile, Output, settings_of
from console.output import Format, columns, show
from trimtab.protocol import Controller

app = group()

_COLUMNS: Final = (
    "controller",
    "said",
    "version",
    "batch",
    "batches",
    "longest",
    "lag",
    "groups",
    "members",
    "queues",
    "unassigned",
    "moves",
    "dead letters",
)


@app.callback()
def controllers() -> None:
    """The controllers on this Kafka, as they say themselves.

    Examples:
      trimtab controllers list
    """


@app.command("list", cls=Command)
def list_controllers(
    *,
    living: Annotated[
        bool, typer.Option("--living", help="Only those that said something lately.")
    ] = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    output: Output = Format.TABLE,
) -> None:
    """Show what each controller has said last: it does every five seconds.

    SAID is how long ago that was. BATCHES and LONGEST are of the five seconds before. MOVES and
    DEAD LETTERS count since its process began.

    Examples:
      trimtab controllers list
      trimtab controllers list --living -o json
    """
    from console.statuses import SILENT_S, statuses

    settings = settings_of(config, assignments).settings
    now_ms = time.time_ns() // 1_000_000
    said = [
        (it, max(0, now_ms - at_ms) / 1000)
        for it, at_ms in statuses(settings, bootstrap_servers(settings))
    ]
    rows = [_row(it, age_s) for it, age_s in said if not living or age_s <= SILENT_S]
    show({"controllers": rows}, output, columns(rows, *_COLUMNS))


def _row(status: Controller, age_s: float) -> dict[str, object]:
    times, totals = status.times, status.totals
    return {
        "controller": status.controller,
        "said": f"{age_s:.0f} s ago",
        "version": status.version,
        "batch": status.batch,
        "batches": times.count if times else 0,
        "longest": f"{times.longest_ms} ms" if times else None,
        "lag": None if status.lag_ms is None else f"{status.lag_ms} ms",
        "groups": totals.groups,
        "members": totals.members,
        "queues": totals.queues,
        "unassigned": totals.unassigned,
        "moves": status.moves,
        "dead letters": status.dead_letters,
        "page": status.page,
    }
