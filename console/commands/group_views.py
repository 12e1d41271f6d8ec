"""How groups are and why, as `trimtab groups` shows it.

The records are read by ``console.published`` and put into rows by ``console.views``; a question
about one group reads one partition.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from console.commands.options import (
    ConfigFile,
    KeyValues,
    Output,
    Watch,
    call_of,
    now_ms,
    past_of,
    settings_of,
    span_of,
)
from console.output import Format, Listing, Shown, fields, fitting
from console.watching import Remarks, watched

if TYPE_CHECKING:
    from console.published import Published
    from console.views.history import Noted
    from trimtab import protocol

Group = Annotated[str, typer.Argument(help="The group's name.")]
Since = Annotated[
    str,
    typer.Option("--since", metavar="TIME", help="From when on: 03:12, ISO 8601, or 2h for ago."),
]
UpTo = Annotated[
    str | None,
    typer.Option(
        "--until", metavar="TIME", show_default=False, help="Show entries up to this time."
    ),
]


def since_before(back: str) -> Any:  # noqa: ANN401 - typer's own words for an option say no more
    """Ask from when on; who does not say means so long before the end."""
    text = "From when on: 03:12, ISO 8601, or 2h for ago; otherwise so long before the end."
    return typer.Option("--since", metavar="TIME", show_default=back, help=text)


class GroupState(StrEnum):
    """What `--state` may name: the brain's phases, which would take long to load here."""

    STABLE = "stable"
    RECONCILING = "reconciling"
    ASSIGNING = "assigning"
    STARVED = "starved"
    EMPTY = "empty"


DAY = "1d"
LAST = 10
"""Entries of the history that `describe` shows: a screen has room for them below the rest."""


def list_groups(
    context: typer.Context,
    *,
    state: Annotated[
        list[GroupState] | None,
        typer.Option("--state", metavar="STATE", show_default=False, help="Only in this state."),
    ] = None,
    like: Annotated[
        str,
        typer.Option(
            "--like", metavar="TEXT", show_default=False, help="Only names that contain this text."
        ),
    ] = "",
    watch: Watch = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show every group: its state, its members and queues, and what changed it last.

    STATE is stable, reconciling (queues move), assigning, starved (queues have no worker), empty.

    Examples:
      trimtab groups list
      trimtab groups list --state starved --state assigning -o wide
      trimtab groups list --like billing --watch
    """
    published = published_by(config, key_values)

    def draw() -> Shown:
        from console.published import at_once
        from console.views import groups as view

        rows = view.rows(at_once(published.briefs), state or (), like)
        return Listing("groups", rows, view.NARROW, view.WIDE).shown(output)

    watched(draw, output, watch=watch, remarks=at_work(published))
    remark_on(published, context)


def describe(
    context: typer.Context,
    name: Group,
    *,
    watch: Watch = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show one group on one screen: state, topics, members, and what happened last.

    Examples:
      trimtab groups describe billing
      trimtab groups describe billing --watch
    """
    published = published_by(config, key_values)
    remarks = at_work(published)
    watched(lambda: _described(published, name), output, watch=watch, remarks=remarks)
    remark_on(published, context)


def history(
    context: typer.Context,
    name: Group,
    *,
    since: Annotated[str | None, since_before(DAY)] = None,
    until: UpTo = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show what happened to a group, oldest first, with the cause of each.

    Examples:
      trimtab groups history billing --since 2h
      trimtab groups history billing --since 03:10 --until 03:15 -o wide
    """
    from console.names import the_group
    from console.published import at_once
    from console.views import history as view

    begin, end = span_of(since, until, back=DAY)
    published = published_by(config, key_values)
    at_once(lambda: the_group(published, name))
    rows = view.rows(at_once(lambda: published.history(name, begin)), end)
    Listing("history", rows, view.NARROW, view.WIDE).show(output)
    remark_on(published, context)


def explain(
    context: typer.Context,
    name: Group,
    queue: Annotated[
        str | None,
        typer.Argument(metavar="[QUEUE]", help="As `queues list` calls it: orders-7."),
    ] = None,
    *,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="TIME", show_default=False, help="How it was then, and not now."
        ),
    ] = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Say why: the chain of causes, oldest first, with times and places in the log.

    For a group: its last rebalance, or the last one before --at. For a queue: its last change of
    owner, or the last one before --at.

    Examples:
      trimtab groups explain billing
      trimtab groups explain billing --at 03:12
      trimtab groups explain billing orders-7
      trimtab groups explain billing orders-7 --at 03:12
    """
    from console.names import the_group
    from console.published import at_once
    from console.views.explanation import COLUMNS

    until = past_of("--at", at)  # what has not come is refused, and not looked for
    published = published_by(config, key_values)
    group = at_once(lambda: the_group(published, name))
    noted = at_once(lambda: published.history(name))
    if queue is None or until is not None:
        rows = _as_it_was(group, queue, noted, until)
    else:
        rows = _as_it_is(published, group, queue, noted)
    Listing("causes", rows, COLUMNS).show(output)
    remark_on(published, context)


def _as_it_was(
    group: "protocol.Group", queue: str | None, noted: "list[Noted]", until: int | None
) -> list[dict[str, object]]:
    """Explain a group, or what a queue was at a moment."""
    from console.errors import ExitCode, Failure
    from console.views import explanation as view

    if queue is None:
        rows, what = view.of_group(group, noted, until), f"rebalance of {group.group}"
    else:
        rows = view.of_queue_at(queue, noted, until or 0)
        what = f"change of the owner of {queue}"
    if not rows:
        raise Failure(view.too_old(what, noted), ExitCode.NOT_FOUND)
    return rows


def _as_it_is(
    published: "Published", group: "protocol.Group", queue: str, noted: "list[Noted]"
) -> list[dict[str, object]]:
    """Explain who has a queue now."""
    from console.errors import ExitCode, Failure
    from console.published import at_once
    from console.views import explanation as view
    from console.views.typed import typed

    told = at_once(lambda: published.assignments(group.group)).values()
    rows = view.of_queue(queue, group, told, noted)
    if rows is None:
        known = ", ".join(sorted(group.topics)) or "no topics"
        reason = f"no record of {group.group} names the queue {queue}; it subscribes {known}"
        look = typed("queues list", group.group)
        raise Failure(f"{reason}: `{look}`", ExitCode.NOT_FOUND)
    return rows


def published_by(config: object, key_values: list[str] | None) -> "Published":
    """Return what is published where the settings say."""
    from console.published import Published

    return Published(settings_of(config, key_values).settings)  # type: ignore[arg-type]  # typer's path


def at_work(published: "Published") -> Callable[[], Remarks]:
    """Return what says, to who watches, that no controller is at work, and what is missing."""
    from console.at_work import AtWork
    from console.published import left_out

    work = AtWork(published)

    return lambda: (work.remark(), left_out(published))


def remark_on(published: "Published", context: typer.Context) -> None:
    """Say so if no controller is at work: tables look the same for as long as Kafka keeps them.

    Who watches is told above each view.
    """
    from console.at_work import AtWork
    from console.published import at_once

    remark = at_once(AtWork(published).remark)
    if remark is not None:
        call_of(context).progress.note(remark.text)
    note_left_out(published)


def note_left_out(published: "Published") -> None:
    """Say what could not be read; also with --quiet, for what is shown is not all that there is."""
    from console.progress import Stderr
    from console.published import left_out

    if (missing := left_out(published)) is not None:
        Stderr().note(missing.text)


def _described(published: "Published", name: str) -> Shown:
    from console.names import the_group
    from console.published import at_once
    from console.views import groups, history, members

    group = at_once(lambda: the_group(published, name))
    told = {key.member: it for key, it in at_once(lambda: published.assignments(name)).items()}
    day_ms = 24 * 60 * 60 * 1000
    noted = at_once(lambda: published.history(name, now_ms() - day_ms))
    head = groups.row(group) | groups.commanded(group)
    parts = {
        "topics": (groups.topics(group), groups.TOPIC),
        "members": (members.rows_of(group, told), members.NARROW[1:]),
        "history": (history.rows(noted[-LAST:]), history.NARROW),
    }
    tables = [fields(head)]
    tables += [f"{title}\n{fitting(rows, *names)}" for title, (rows, names) in parts.items()]
    counts = {"member_count": head.pop("members"), "topic_count": head.pop("topics")}
    lists = {title: rows for title, (rows, _) in parts.items()}
    return Shown(head | counts | lists, "\n\n".join(tables))
