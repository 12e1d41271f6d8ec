"""`trimtab top`: the whole installation on one screen, the groups in trouble first.

The same rows as `groups list`, in another order and with the sums above them.
"""

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.group_views import published_by
from console.commands.options import Assignments, ConfigFile, now_ms, watched
from console.output import fitting, write

if TYPE_CHECKING:
    from console.published import Published

MINUTE_MS = 60 * 1000
_BESIDE = 5
"""Lines of the screen that are not groups: two of sums, an empty one, the heading, the prompt."""


def top(
    *,
    once: Annotated[bool, typer.Option("--once", help="Show it once, and all groups.")] = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Show the controller and all groups, those in trouble first, every two seconds.

    Ends with Ctrl-C. Where stdout is no terminal it is shown once.

    Examples:
      trimtab top
      trimtab top --once
    """
    from console.published import at_once

    published, live = published_by(config, assignments), sys.stdout.isatty() and not once
    watched(lambda: write(at_once(lambda: _screen(published, live=live))), watch=live)


def _screen(published: "Published", *, live: bool) -> str:
    from console.views import groups, overview

    at_ms = now_ms()
    summaries = published.briefs()
    ticks = published.ticks(at_ms - MINUTE_MS)
    rows = [groups.row(it) for it in sorted(summaries, key=overview.urgency)]
    if live:
        rows = rows[: max(1, shutil.get_terminal_size().lines - _BESIDE)]
    head = f"{overview.controller(ticks, at_ms)}\n{overview.sums(summaries)}"
    return f"{head}\n\n{fitting(rows, *groups.NARROW)}"
