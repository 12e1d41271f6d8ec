"""`trimtab queues`: who works on each queue of a group.

The rows are made by ``console.views.queues``.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.group_views import Group, at_work, published_by, remark_on
from console.commands.help import Command, group
from console.commands.options import ConfigFile, KeyValues, Output, Watch
from console.output import Format, Listing, Remark, Shown
from console.progress import Stderr
from console.watching import Remarks, watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.published import Published
    from console.settings import Settings

app = group()


@app.callback()
def queues() -> None:
    """The queues of a group.

    Examples:
      trimtab queues list billing
    """


class QueueState(StrEnum):
    """What `--state` may name."""

    HELD = "held"
    MOVING = "moving"
    WAITING = "waiting"
    UNASSIGNED = "unassigned"
    BROADCASTING = "broadcasting"
    SHARED = "shared"


Owner = Annotated[
    str | None,
    typer.Option("--owner", metavar="MEMBER", show_default=False, help="Only this member's."),
]
WithLag = Annotated[
    bool, typer.Option("--lag", help="Also where the group has committed on this Kafka.")
]


@app.command("list", cls=Command)
def list_queues(
    context: typer.Context,
    name: Group,
    *,
    owner: Owner = None,
    state: Annotated[
        QueueState | None,
        typer.Option("--state", metavar="STATE", show_default=False, help="Only in this state."),
    ] = None,
    lag: WithLag = False,
    watch: Watch = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show each queue's owner, the epoch it holds it under, and who is next.

    STATE is held, moving (the owner is to give it), waiting (its next owner waits for a release),
    unassigned, broadcasting or shared.

    Examples:
      trimtab queues list billing
      trimtab queues list billing --state unassigned
      trimtab queues list billing --owner worker-3 -o json
      trimtab queues list billing --lag --watch
    """
    published, unknown = published_by(config, key_values), list[str]()

    def draw() -> Shown:
        from console.names import the_group, the_known
        from console.published import at_once
        from console.views import queues as view

        summary = at_once(lambda: the_group(published, name))
        told = at_once(lambda: published.assignments(name)).values()
        rows = view.rows(summary, told)
        chosen = [
            row for row in rows if owner in (None, row["owner"]) and state in (None, row["state"])
        ]
        if owner is not None and not chosen and not watch:
            the_known(f"member of {name}", owner, view.members(summary, told))
        if lag:
            unknown[:] = at_once(lambda: _measure(published.settings, name, chosen))
        shown = (*view.NARROW, *view.LAG) if lag else view.NARROW
        return Listing("queues", chosen, shown, view.WIDE).shown(output)

    watched(draw, output, watch=watch, remarks=_remarks(published, unknown))
    for why in unknown:
        Stderr().note(why)
    remark_on(published, context)


def _remarks(published: "Published", unknown: list[str]) -> "Callable[[], Remarks]":
    """Say, to who watches, also which lags are not known."""
    from console.views.sentences import several

    work = at_work(published)
    return lambda: (*work(), Remark(it, it) if (it := several(unknown)) else None)


def _measure(settings: "Settings", group: str, rows: list[dict[str, object]]) -> list[str]:
    """Fill in how far the group is, where it is known; return where it is not, and why."""
    from console.lags import lags

    unknown = list[str]()
    places = [(str(row["topic"]), int(str(row["id"]))) for row in rows if row["broker"] is None]
    found = lags(settings, group, places, unknown.append)
    for row in rows:
        it = found.get((str(row["topic"]), int(str(row["id"]))))
        if it is not None and row["broker"] is None:
            row |= {"committed": it.committed, "end": it.end, "lag": it.lag}
    return unknown
