"""`trimtab top`: the whole installation on one screen, the groups in trouble first.

The same rows as `groups list`, in another order and with the sums above them.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.group_views import at_work, published_by, remark_on
from console.commands.options import ConfigFile, KeyValues, Output, now_ms
from console.output import Format, Shown, fitting, height, is_drawable, line, within
from console.watching import watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.published import Published
    from console.pulse import Pulse

_SPARE = ("since", "epoch", "cause")
"""The columns that say least of what is urgent, the least of them first."""


def top(
    context: typer.Context,
    *,
    once: Annotated[bool, typer.Option("--once", help="Show it once, and all groups.")] = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show the controller and all groups, those in trouble first, every two seconds.

    Ends with Ctrl-C. On a small screen the less urgent groups are counted, and columns left out.
    Where stdout is no terminal, or a dumb one, and as JSON or YAML, it is shown once.

    Examples:
      trimtab top
      trimtab top --once
      trimtab top -o json
    """
    from console.published import at_once
    from console.pulse import Glimpses, felt

    published = published_by(config, key_values)
    live = is_drawable() and not once and output in {Format.TABLE, Format.WIDE}
    look = Glimpses(published).glimpse if live else lambda at_ms: felt(published, at_ms)
    watched(
        lambda: at_once(lambda: _screen(published, look, output)),
        output,
        watch=live,
        remarks=at_work(published),
    )
    remark_on(published, context)


def _screen(published: "Published", look: "Callable[[int], Pulse]", output: Format) -> Shown:
    from console.views import groups, overview

    at_ms = now_ms()
    summaries = published.briefs()
    ticks, silent, _ = look(at_ms)
    rows = [groups.row(it) for it in sorted(summaries, key=overview.urgency)]
    head = f"{line(overview.controller(ticks, silent, at_ms))}\n{overview.sums(summaries)}\n"
    wide = groups.WIDE if output is Format.WIDE else ()
    names = groups.NARROW + wide
    told = {"controller": overview.tick(ticks, silent, at_ms), "sums": overview.counts(summaries)}

    def of_height(lines: int) -> str:
        return f"{head}\n{within(rows, names, (*wide, *_SPARE), lines - height(head) - 1)}"

    return Shown(told | {"groups": rows}, f"{head}\n{fitting(rows, *names)}", of_height)
