"""`trimtab doctor`: what is wrong, and what to do about it.

What is looked at is in ``console.examination``, and the rules are in ``console.views``.
"""

from typing import Annotated

import typer

from console.commands.group_views import published_by
from console.commands.options import ConfigFile, KeyValues, Output, as_given, now_ms
from console.errors import ExitCode
from console.output import Format, Listing, show
from console.progress import Stderr


def doctor(
    name: Annotated[
        str | None, typer.Argument(metavar="[GROUP]", help="Only this group, and the controller.")
    ] = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Look for what is wrong, and say what to do about each; exit code 3 if anything is.

    Looks at the controller's ticks, each group's summary and assignments, Kafka's own members of
    the group, verdicts on brokers, and at history and dead letters of the last hour. For one group
    it also checks lag (six seconds more where messages wait), but no verdicts and dead letters.
    What could not be looked at is said on stderr, and to programs as `not_examined`.

    Examples:
      trimtab doctor
      trimtab doctor billing -o json
    """
    from console.examination import examined
    from console.published import at_once
    from console.views.findings import COLUMNS
    from console.views.undoing import with_options

    published, notes = published_by(config, key_values), list[str]()
    found = at_once(lambda: examined(published, name, now_ms(), notes.append))
    for note in notes:  # not by --quiet: that nothing was found would else be more than is known
        Stderr().note(note)
    options = as_given(config, key_values)
    rows = [it.row() for it in found]
    for row in rows:  # or what is typed next would go to another Kafka
        row["remedy"] = with_options(str(row["remedy"]), options)
    shown = Listing("findings", rows, COLUMNS).shown(output)
    well = f"nothing is wrong{' with what could be looked at' if notes else ''}"
    result = {"findings": rows, "not_examined": notes}
    show(result, output, shown.table if found else well)
    if found:
        raise typer.Exit(ExitCode.UNHEALTHY)
