"""`trimtab demo`: watch rebalances happen.

The command around `console.demo`, where the story is told. It only reads the options and loads the
rest when it is called, so that `trimtab --help` stays quick.
"""

from typing import Annotated

import typer

from console.commands.options import ConfigFile, KeyValues, Output, call_of, settings_of
from console.output import Format


def demo(
    context: typer.Context,
    *,
    once: Annotated[bool, typer.Option("--once", help="End after the story.")] = False,
    members: Annotated[int, typer.Option(min=3, max=16, help="Members at the start.")] = 4,
    partitions: Annotated[int, typer.Option(min=1, max=256, help="Queues to share.")] = 16,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Show members join, leave and crash, and the controller too, on a real Kafka.

    A story of about a minute, with a summary at its end. On a terminal the demo then stays live
    until Ctrl-C; without one it ends, with exit code 1 if anything in the story went wrong.
    Its files are in the folder `demo` of the home, which the next demo empties.

    Examples:
      trimtab demo
      trimtab demo --once -o json > summary.json
      trimtab demo --members 6 --partitions 64
    """
    from console.demo.run import Wishes, run

    wishes = Wishes(
        members=members,
        queues=partitions,
        once=once,
        quiet=call_of(context).quiet,
        output=output,
    )
    run(settings_of(config, key_values).settings, wishes)
