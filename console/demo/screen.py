"""The live table: a view in, something that rich can draw out. Pure.

It must be read at a glance on 80 columns and 24 lines: how the group stands, a line a process, the
latest hand-overs, the flow of messages.
"""

from collections.abc import Iterator

from rich.console import Group as Stack
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from console.demo.board import told
from console.demo.view import Flow, HandoverRow, View, ranges
from trimtab.protocol import Group

_STYLES = {
    "ready": "green",
    "stable": "green",
    "reconciling": "yellow",
    "starved": "red",
    "assigning": "yellow",
}
"""The words that say whether all is well; the others are red."""

_FIXED_LINES = 12
"""All but the rows: headline, group, two headings, flow, and what parts them."""


def render(view: View, height: int) -> RenderableType:
    """Draw the view on so many lines; as many hand-overs as there is room for."""
    room = height - _FIXED_LINES - 1 - len(view.members)
    return Stack(
        _line(view.headline, "bold"),
        _line(view.shows, "dim"),
        *_group(view.group),
        _processes(view),
        *_handovers(view.handovers[: max(0, room)]),
        _line(_flow(view.flow)),
    )


def _table(*columns: tuple[str, str, int | None]) -> Table:
    """A frameless table of (heading, justification, ratio) columns."""
    table = Table(box=None, expand=True, padding=(0, 1), header_style="dim", pad_edge=False)
    for heading, justify, ratio in columns:
        table.add_column(
            heading,
            justify="right" if justify == "right" else "left",
            ratio=ratio,
            no_wrap=True,
            overflow="ellipsis",
        )
    return table


def _group(group: Group | None) -> tuple[Text, ...]:
    if group is None:
        return (Text("the controller has not said anything yet\n", style="dim"),)
    queues = group.queues
    return (
        Text.assemble(
            f"group {group.group}: ",
            _coloured(group.state),
            f", {group.members} members, strategy {group.strategy}, "
            f"last cause: {told(group.cause)}",
        ),
        Text(
            f"epoch {group.epoch} (group {group.group_epoch}, target {group.target_epoch}), "
            f"queues: {queues.assigned} assigned, {queues.moving} moving, "
            f"{queues.unassigned} unassigned"
        ),
    )


def _processes(view: View) -> Table:
    table = _table(
        ("\nprocess", "left", None),
        ("\npid", "right", None),
        ("\nworks on queues", "left", 1),
        ("\nheld", "right", None),
        ("\ngive", "right", None),
        ("\ninherit", "right", None),
        ("heir\nof", "right", None),
        ("\nepoch", "right", None),
        ("\nmsgs/s", "right", None),
    )
    controller = view.controller
    table.add_row("controller", _pid(controller.pid), _coloured(controller.state))
    for row in view.members:
        table.add_row(
            row.name,
            _pid(row.pid),
            ranges(row.queues),
            str(len(row.queues)),
            str(row.give),
            str(row.inherit),
            str(row.heir_of),
            str(row.epoch),
            f"{row.rate:.0f}",
            style="dim" if row.pid is None else None,
        )
    return table


def _handovers(rows: tuple[HandoverRow, ...]) -> Iterator[Table]:
    if not rows:
        return
    table = _table(
        ("\nhanded over", "left", 1),
        ("\nfrom", "left", None),
        ("\nto", "left", None),
        ("\nat rest", "right", None),
        ("\ncause", "left", None),
    )
    for row in rows:
        table.add_row(
            f"queue{'s' if len(row.queues) > 1 else ''} {ranges(row.queues)}",
            row.giver,
            row.heir,
            f"{row.rest_ms:,.1f} ms",
            row.cause or "",
        )
    yield table


def _flow(flow: Flow) -> str:
    return (
        f"\n{flow.produced:,} messages produced, {flow.processed:,} processed "
        f"({flow.rate:,.0f}/s), {flow.outstanding:,} waiting, {flow.repeats:,} twice"
    )


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")


def _pid(pid: int | None) -> str:
    return "gone" if pid is None else str(pid)


def _coloured(state: str) -> Text:
    return Text(state, style=_STYLES.get(state, "red"))
