"""`trimtab run`: the controller.

Only reads its options; what must be right before the controller starts, and in which order, is in
``console.controller``.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.options import Call, ConfigFile, KeyValues, call_of, settings_of

if TYPE_CHECKING:
    from console.settings import Settings


AsStandby = Annotated[
    bool,
    typer.Option(
        "--standby",
        help="Start everything, follow the active controller, and take over when it is gone "
        "or `trimtab controllers hand-over` asks for it. Needs a name and a home of its own, "
        "and the other's checkpoint.",
    ),
]
TakeOver = Annotated[
    bool,
    typer.Option(
        "--take-over",
        help="Replace a controller that is at work on the same topics. Without it, this one "
        "ends with 7 if there is one.",
    ),
]


def run(
    context: typer.Context,
    *,
    init_topics: Annotated[
        bool,
        typer.Option(
            "--init-topics",
            help="Create missing topics first, as the embedded Kafka always gets them.",
        ),
    ] = False,
    new_checkpoint: Annotated[
        bool,
        typer.Option(
            "--new-checkpoint",
            help="Set the old checkpoint aside and start a new one from what is published, to "
            "change settings that a checkpoint fixes. No queue moves.",
        ),
    ] = False,
    standby: AsStandby = False,
    take_over: TakeOver = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
) -> None:
    """Run the controller until Ctrl-C or SIGTERM; logs go to stderr.

    Without kafka.bootstrap_servers it starts a Kafka of its own on loopback, which ends with it.
    With it, the controller refuses to start if a topic is missing or wrong.

    Examples:
      trimtab run
      trimtab run --new-checkpoint --set controller.cells_per_partition=4
      trimtab run --set kafka.bootstrap_servers=kafka-1:9092,kafka-2:9092
      trimtab run --standby --config standby.toml
      trimtab run --take-over --config production.toml
      TRIMTAB_LOG__FORMAT=json trimtab run --config production.toml
    """
    from console.controller import Asked
    from console.controller import run as run_controller

    call = call_of(context)
    settings = _begun(call, config, key_values)
    asked = Asked(init_topics, new_checkpoint, standby, take_over)
    run_controller(settings, asked, call.progress)


def _begun(call: Call, config: Path | None, key_values: list[str] | None) -> "Settings":
    """Read the settings, and log as they say, from the first of what is wrong with them on."""
    from console import logs

    call.in_json = logs.asked_for(key_values or (), os.environ)
    settings = settings_of(config, key_values).settings
    call.in_json = settings.log.format == "json"
    logs.configure(settings.log)
    return settings
