"""`trimtab members`: who is in a group, and how each member is.

The rows are made by ``console.views.members``.
"""

from typing import Annotated

import typer

from console.commands.group_views import at_work, published_by, remark_on
from console.commands.help import Command, group
from console.commands.options import ConfigFile, KeyValues, Output, Watch
from console.output import Format, Listing, Shown
from console.progress import Stderr
from console.watching import watched

app = group()


@app.callback()
def members() -> None:
    """The members of groups.

    Examples:
      trimtab members list billing
    """


@app.command("list", cls=Command)
def list_members(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[GROUP]", help="Of this group; otherwise of all.")
    ] = None,
    *,
    watch: Watch = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show members: what each holds, gives up and inherits, and what is the matter with it.

    STATE is working, draining, away, silent (its eviction is held), resting (it came and went too
    often), standby (the target has no queue for it); guarded beside it if a guard watches it.

    Examples:
      trimtab members list
      trimtab members list billing -o wide
    """
    published = published_by(config, key_values)

    cut: list[str] = []

    def draw() -> Shown:
        from console.names import the_group
        from console.published import at_once
        from console.views import members as view

        if name is None:
            groups = at_once(published.briefs)
            rows, cut[:] = view.rows(groups), view.cuts(groups)
        else:
            summary = at_once(lambda: the_group(published, name))
            told = at_once(lambda: published.assignments(name))
            rows = view.rows_of(summary, {key.member: it for key, it in told.items()})
        return Listing("members", rows, view.NARROW, view.WIDE).shown(output)

    watched(draw, output, watch=watch, remarks=at_work(published))
    for each in cut:
        Stderr().note(each)
    remark_on(published, context)
