"""`trimtab doctor`: what is wrong, and what to do about it.

The rules are in ``console.views.findings``; here the records are read that they look at.
"""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.group_views import published_by
from console.commands.options import Assignments, ConfigFile, Output, now_ms
from console.errors import ExitCode
from console.output import Format, Listing, write

if TYPE_CHECKING:
    from console.published import Published
    from console.views.findings import Finding

HOUR_MS = 60 * 60 * 1000
"""How far back the history and the dead letters are looked at."""
MINUTE_MS = 60 * 1000
SETTLED_S = 1.0
"""A reader may see a hand-over half: what is still so after this, longer than a batch, is so."""


def doctor(
    name: Annotated[
        str | None, typer.Argument(metavar="[GROUP]", help="Only this group, and the controller.")
    ] = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
    output: Output = Format.TABLE,
) -> None:
    """Look for what is wrong, and say what to do about each; exit code 3 if anything is.

    Looks at the controller's ticks, each group's summary and assignments, verdicts on brokers, and
    at history and dead letters of the last hour.

    Examples:
      trimtab doctor
      trimtab doctor billing -o json
    """
    from console.published import at_once
    from console.views.findings import COLUMNS

    published = published_by(config, assignments)
    found = at_once(lambda: _examined(published, name))
    if not found and output in {Format.TABLE, Format.WIDE}:
        write("nothing is wrong")
        return
    Listing("findings", [it.row() for it in found], COLUMNS).show(output)
    if found:
        raise typer.Exit(ExitCode.UNHEALTHY)


def _examined(published: "Published", name: str | None) -> "list[Finding]":
    from console.published import the_group
    from console.views import findings

    at_ms = now_ms()
    groups = published.groups() if name is None else {name: the_group(published, name)}
    found = list(findings.of_controller(published.ticks(at_ms - MINUTE_MS), at_ms))
    found += [it for group in groups.values() for it in findings.of_group(group, at_ms)]
    found += _overlaps(published, name)
    noted = published.history(name, at_ms - HOUR_MS)
    found += findings.of_history(it.entry for it in noted)
    if name is None:
        found += findings.of_brokers(published.verdicts().values(), at_ms)
        found += findings.of_letters(it.letter for it in published.letters(at_ms - HOUR_MS))
    return list(dict.fromkeys(found))


def _overlaps(published: "Published", name: str | None) -> "list[Finding]":
    """Return the queues that two members hold, and still do when they are looked at again."""
    first = _overlaps_now(published, name)
    if not first:
        return []
    time.sleep(SETTLED_S)
    again = set(_overlaps_now(published, name))
    return [it for it in first if it in again]


def _overlaps_now(published: "Published", name: str | None) -> "list[Finding]":
    from itertools import groupby

    from console.views import findings

    told = published.assignments(name).items()
    return [
        it
        for group, records in groupby(told, key=lambda entry: entry[0].group)
        for it in findings.of_assignments(group, [record for _, record in records])
    ]
