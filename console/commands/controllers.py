"""`trimtab controllers`: which controllers there are, and how they are doing.

Reads the topic `controllers`, so it works from wherever Kafka can be read. A standby is asked to
take over on the same topic.
"""

from typing import Annotated

import typer

from console.commands.commanding import perhaps_given
from console.commands.group_views import note_left_out, published_by
from console.commands.help import Command, group
from console.commands.options import (
    ConfigFile,
    KeyValues,
    Output,
    Watch,
    milliseconds_of,
)
from console.output import Format, Listing, Shown, say
from console.watching import watched

app = group()


@app.callback()
def controllers() -> None:
    """The controllers on this Kafka, as they say themselves.

    Examples:
      trimtab controllers list
      trimtab controllers hand-over --reason "upgrade of controller-1"
    """


@app.command("list", cls=Command)
def list_controllers(
    *,
    living: Annotated[
        bool, typer.Option("--living", help="Only those that speak; listens for six seconds.")
    ] = False,
    watch: Watch = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show what each controller has said last: it does every five seconds.

    SAID_S is how long ago that was, in seconds; after 15 a controller that has
    not said that it ended is silent. If one has just become so by the clock here, or
    all have, it may be wrong, and six seconds show who speaks; a clock that is behind
    may show one as living that died as long ago: --living is sure. With --watch it goes
    by the clock at first. LONGEST_MS is of the batches of the five seconds before.
    MOVES counts since its process began.

    Examples:
      trimtab controllers list
      trimtab controllers list --living -o json
    """
    from console.at_work import Ages, heard
    from console.published import at_once, left_out

    published, ages = published_by(config, key_values), Ages()

    def draw() -> Shown:
        from console.views import controllers as view

        read = published.controllers
        if ages.is_new and (living or not watch):
            said = at_once(lambda: heard(read, ages, sure=living))
        else:
            said = (ages.by_ear if living else ages.of)(at_once(read))
        rows = view.rows(said, living=living)
        return Listing("controllers", rows, view.NARROW, view.WIDE).shown(output)

    watched(draw, output, watch=watch, remarks=lambda: [left_out(published)])
    note_left_out(published)


@app.command("hand-over", cls=Command)
def hand_over(
    standby: Annotated[
        str | None, typer.Argument(help="Which standby takes over; needed if there are several.")
    ] = None,
    *,
    reason: Annotated[str, typer.Option(help="Why, for the log.")] = "asked for",
    timeout: Annotated[str, typer.Option(metavar="60s", help="How long to wait for it.")] = "60s",
    config: ConfigFile = None,
    key_values: KeyValues = None,
) -> None:
    """Let a standby take over at once, for an upgrade of the active controller.

    The active controller ends with exit code 7. Members keep their queues and
    are not interrupted.

    Examples:
      trimtab controllers hand-over
      trimtab controllers hand-over controller-2 --reason "upgrade of controller-1"
    """
    patience_s = milliseconds_of("--timeout", timeout) / 1_000
    published = published_by(config, key_values)

    from console.handing_over import chosen, hand_over_to
    from console.published import at_once

    heir = at_once(lambda: chosen(published, standby))
    with perhaps_given([f"hand-over to {heir}"]):
        at_once(lambda: hand_over_to(published, heir, reason, patience_s))
    say(f"done: {heir} is the active controller")
