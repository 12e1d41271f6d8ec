"""`trimtab groups move`: a group changes sides, while it works.

It is no command to the controller, and needs none (``console.group_moves``). The command ends when
every queue is there, or says how many are.
"""

from typing import Annotated, Literal

import typer

from console.commands.group_commands import Group
from console.commands.options import Assignments, ConfigFile, Patience, milliseconds_of, settings_of
from console.output import write


def move(
    name: Group,
    side: Annotated[Literal["kafka", "trimtab"], typer.Argument(help="Where its queues go.")],
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in Kafka.")],
    patience: Patience = "60s",
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Move a group of MovingConsumers between Kafka's protocol and trimtab, while it works.

    It needs no controller: Kafka stores which side is wanted, and members read it there.

    Examples:
      trimtab groups move billing trimtab --reason "all members can move"
      trimtab groups move billing kafka --reason "back for now"
    """
    from console.group_moves import move as begin

    patience_s = milliseconds_of("--timeout", patience) / 1_000
    count = begin(settings_of(config, assignments).settings, name, side, reason, patience_s)
    write(f"{name}: {count} queues are on the side of {side}")
