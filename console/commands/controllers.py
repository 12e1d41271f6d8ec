"""`trimtab controllers`: which controllers there are, and how they are doing.

Reads the topic `controllers`, so it works from wherever Kafka can be read.
"""

import time
from typing import Annotated

import typer

from console.commands.group_views import published_by
from console.commands.help import Command, group
from console.commands.options import Assignments, ConfigFile, Output, Watch, watched
from console.output import Format, Listing

app = group()


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
        bool, typer.Option("--living", help="Only those that said something in the last 15 s.")
    ] = False,
    watch: Watch = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    output: Output = Format.TABLE,
) -> None:
    """Show what each controller has said last: it does every five seconds.

    SAID_S is how long ago that was, in seconds. LONGEST_MS is of the batches of the five seconds
    before. MOVES counts since its process began.

    Examples:
      trimtab controllers list
      trimtab controllers list --living -o json
    """
    published = published_by(config, assignments)

    def draw() -> None:
        from console.published import at_once
        from console.views import controllers as view

        said = at_once(published.controllers)
        rows = view.rows(said, time.time_ns() // 1_000_000, living=living)
        Listing("controllers", rows, view.NARROW, view.WIDE).show(output)

    watched(draw, watch=watch)
