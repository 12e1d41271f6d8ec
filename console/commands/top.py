"""`trimtab top`: the whole installation on one screen, the groups in trouble first.

The same rows as `groups list`, in another order and with the sums above them.
"""

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.group_views import published_by
from console.commands.options import Assignments, ConfigFile, Output, now_ms
from console.output import Format, Shown, fitting
from console.watching import watched

if TYPE_CHECKING:
    from console.published import Published

_BESIDE = 6
"""Lines of the screen that are not groups: that Kafka is away, two of sums, an empty one, the
heading, the prompt."""


def top(
    *,
    once: Annotated[bool, typer.Option("--once", help="Show it once, and all groups.")] = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    output: Output = Format.TABLE,
) -> None:
    """Show the controller and all groups, those in trouble first, every two seconds.

    Ends with Ctrl-C. Where stdout is no terminal, and as JSON or YAML, it is shown once.

    Examples:
      trimtab top
      trimtab top --once
      trimtab top -o json
    """
    from console.published import at_once

    published = published_by(config, assignments)
    live = sys.stdout.isatty() and not once and output in {Format.TABLE, Format.WIDE}
    watched(lambda: at_once(lambda: _screen(published, output, live=live)), output, watch=live)


def _screen(published: "Published", output: Format, *, live: bool) -> Shown:
    from console.pulse import felt, glimpsed
    from console.views import groups, overview

    at_ms = now_ms()
    summaries = published.briefs()
    ticks, silent = (glimpsed if live else felt)(published, at_ms)
    rows = [groups.row(it) for it in sorted(summaries, key=overview.urgency)]
    if live:
        rows = rows[: max(1, shutil.get_terminal_size().lines - _BESIDE)]
    head = f"{overview.controller(ticks, silent, at_ms)}\n{overview.sums(summaries)}"
    names = groups.NARROW + groups.WIDE if output is Format.WIDE else groups.NARROW
    told = {"controller": overview.tick(ticks, silent, at_ms), "sums": overview.counts(summaries)}
    return Shown(told | {"groups": rows}, f"{head}\n\n{fitting(rows, *names)}")
