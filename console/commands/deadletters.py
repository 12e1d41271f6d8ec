"""`trimtab deadletters`: which records could not be used, and why.

The rows are made by ``console.views.letters``.
"""

from typing import Annotated

import typer

from console.commands.group_views import Since, at_work, note_left_out, published_by
from console.commands.help import Command, group
from console.commands.options import (
    ConfigFile,
    KeyValues,
    Output,
    Watch,
    past_of,
)
from console.output import Format, Shown, fitting
from console.watching import watched

app = group()


@app.callback()
def deadletters() -> None:
    """Records that the controller could not use.

    Examples:
      trimtab deadletters list
    """


@app.command("list", cls=Command)
def list_deadletters(
    *,
    since: Since = "1d",
    reason: Annotated[
        str | None,
        typer.Option("--reason", metavar="WORD", show_default=False, help="Only of this reason."),
    ] = None,
    watch: Watch = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show dead letters, oldest first: where the record stands, its key, and what is wrong.

    Examples:
      trimtab deadletters list --since 1h
      trimtab deadletters list --reason invalid -o wide
    """
    begin = past_of("--since", since)
    published = published_by(config, key_values)

    def draw() -> Shown:
        from console.names import the_known
        from console.published import at_once
        from console.views import letters as view

        if reason is not None:
            the_known("reason", reason, view.REASONS)
        rows = view.rows(at_once(lambda: published.letters(begin)))
        chosen = [row for row in rows if reason in (None, row["reason"])]
        names = (*view.NARROW, *view.WIDE) if output is Format.WIDE else view.NARROW
        return Shown({"deadletters": chosen}, fitting([*map(view.cut, chosen)], *names))

    watched(draw, output, watch=watch, remarks=at_work(published))
    note_left_out(published)
