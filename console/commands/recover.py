"""`trimtab recover`: why a controller does not go on with its checkpoint, and what to do.

The rules are in ``console.recovery``; here the checkpoint is found.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.options import ConfigFile, KeyValues, Output, settings_of
from console.errors import ExitCode, Failure
from console.output import Format, Listing, show
from console.progress import Stderr

if TYPE_CHECKING:
    from console.recovery import Obstacle
    from console.settings import Loaded

_PLACES = (("home",), ("controller", "checkpoint"))
"""Each says where the checkpoint is."""


def recover(
    *,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="Look at this copy of a checkpoint, instead of controller.checkpoint.",
        ),
    ] = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Say what is wrong with the checkpoint, and what to do about each; it changes nothing.

    Looks for files that are missing or damaged, settings that differ from those at the start of the
    checkpoint, and records that Kafka has lost; exit code 3 if anything is wrong. It needs the
    controller's own settings. What it could not compare it says on stderr, and to programs.

    Examples:
      trimtab recover
      trimtab recover --checkpoint /mnt/copy/checkpoint -o json
    """
    from console.recovery import COLUMNS, present
    from streaming.startup.batch_logs import COMMITS, OFFSETS
    from streaming.startup.damage import damages, last

    loaded = settings_of(config, key_values)
    named = checkpoint or _own(loaded)
    damaged = list(damages(place := present(named)))
    planned, done = last(place, OFFSETS), last(place, COMMITS)
    is_there = planned is not None or damaged
    found, notes = _obstacles(loaded, place, damaged, in_use=planned is not None)
    where = " with the files" if notes else ""
    well = f"nothing is wrong{where}; last committed batch: {done}; last started: {planned}"
    if not is_there:
        well = f"there is no checkpoint in {place}: `trimtab run` begins one; no queue moves"
    for note in notes:  # not by --quiet: that nothing was found would else be more than is known
        Stderr().note(note)
    rows = [it.row() for it in found]
    shown = Listing("findings", rows, COLUMNS).shown(output)
    show({"findings": rows, "not_examined": notes}, output, shown.table if found else well)
    if found:
        raise typer.Exit(ExitCode.UNHEALTHY)


def _obstacles(
    loaded: "Loaded", place: Path, damaged: list[str], *, in_use: bool
) -> "tuple[list[Obstacle], list[str]]":
    """Return what is wrong, and what could not be compared; of one without batches only files."""
    from console.cluster import bootstrap_servers
    from console.recovery import SETTINGS, of_files, of_settings
    from streaming.startup.losses import NotSurveyed

    found, notes = list["Obstacle"](), list[str]()
    if in_use:
        try:
            servers = bootstrap_servers(loaded.settings)
            found += of_settings(loaded.settings, place, servers, damaged=bool(damaged))
        except (NotSurveyed, Failure) as error:
            notes.append(f"settings and topics were not compared: {error}")
    refused = bool(notes) or any(it.subject == SETTINGS for it in found)
    return [*of_files(damaged, refused=refused), *found], notes


def _own(loaded: "Loaded") -> Path:
    """Return where the controller's checkpoint is, if that is here.

    Where none is here, and nobody has said that it would be, it may be anywhere: that all is well
    would be more than is known.
    """
    from console.recovery import present
    from streaming.startup.damage import local

    checkpoint = loaded.settings.controller.checkpoint
    if (found := local(checkpoint)) is None:
        reason = f"{checkpoint} is not on this machine"
        raise Failure(f"{reason}: copy it here, and name the copy by --checkpoint", ExitCode.USAGE)
    if present(found).exists() or any(loaded.origin(it) != "default" for it in _PLACES):
        return found
    raise Failure(
        f"there is no checkpoint in {found.absolute()}, and no setting says where it is: name the "
        "controller's settings by --config or TRIMTAB_CONFIG, or the place by --checkpoint",
        ExitCode.USAGE,
    )
