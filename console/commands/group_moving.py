"""`trimtab groups move` and `sides`: a group changes sides while it works, and on which it is.

Neither goes to the controller (``console.group_moves``); before a group moves to trimtab's side, it
is seen that one is there (``console.receiving``), and before it moves back, that everybody can
(``console.staying``). The first ends when every queue is there, or says how many are.
"""

import time
from functools import partial
from typing import Annotated, Literal

import typer

from console.commands.commanding import perhaps_given
from console.commands.group_commands import Group
from console.commands.group_views import published_by
from console.commands.options import (
    ConfigFile,
    KeyValues,
    Output,
    Patience,
    as_given,
    milliseconds_of,
    now_ms,
    settings_of,
)
from console.output import Format, Listing, say
from console.progress import Stderr


def move(
    name: Group,
    side: Annotated[Literal["kafka", "trimtab"], typer.Argument(help="Where its queues go.")],
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in Kafka.")],
    patience: Patience = "60s",
    config: ConfigFile = None,
    key_values: KeyValues = None,
) -> None:
    """Move a group of MovingConsumers between Kafka's protocol and trimtab, while it works.

    Kafka stores which side is wanted, and members read it there. To trimtab's side it
    moves only if a controller is at work and each queue has an owner there; the way back
    needs no controller, but no member that cannot move may own queues.

    Examples:
      trimtab groups move billing trimtab --reason "all members can move"
      trimtab groups move billing kafka --reason "back for now"
    """
    from console import receiving, staying
    from console.group_moves import Choice, Looks, admitted, moved
    from console.published import at_once
    from console.views.undoing import of_move, with_options

    until = time.monotonic() + milliseconds_of("--timeout", patience) / 1_000
    published, note = published_by(config, key_values), Stderr().note
    settings, choice = published.settings, Choice(name, side, reason, until)
    looks = Looks(
        partial(receiving.look, published, name, now_ms(), note, until),
        partial(staying.look, published, name, note, until),
    )
    before = at_once(lambda: admitted(settings, choice, looks))
    undo = with_options(of_move(name, side, before), as_given(config, key_values))
    undone = [] if undo is None else [f"undo: {undo}"]
    with perhaps_given([f"move {name} to the side of {side}", *undone]):
        count = at_once(lambda: moved(settings, choice))
    if count is None:
        say(f"{name}: the side of {side} is wanted; nobody is in its group in Kafka")
    else:
        say(f"{name}: {count} queues are on the side of {side}")
    for it in undone:
        say(it)


def sides(
    name: Group,
    *,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show on which side each queue of a group is that moves or has moved.

    A queue is on the side that its last commit in Kafka names: kafka, unless a
    MovingConsumer says trimtab. WANTED is what `trimtab groups move` has chosen last.

    Examples:
      trimtab groups sides billing
      trimtab groups sides billing -o json
    """
    from console.group_moves import sides as look
    from console.published import at_once

    settings = settings_of(config, key_values).settings
    count, wanted = at_once(lambda: look(settings, name))
    rows = [
        {"side": side, "queues": queues, "wanted": side == wanted} for side, queues in count.items()
    ]
    Listing("sides", rows, ("side", "queues", "wanted")).show(output)
