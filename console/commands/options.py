"""Options that several commands take, and what all of them need to know about their call.

Declared once, so that `--config`, `--set` and `-o` mean the same everywhere. A command gets the
``Call`` that ``console.main`` made from its context.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from console.errors import ExitCode, Failure
from console.output import Format
from console.progress import SILENT, Progress, Stderr
from console.settings import Loaded, load
from console.settings.units import milliseconds, parse_duration

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        show_default=False,
        help="Settings file; otherwise $TRIMTAB_CONFIG, otherwise ./trimtab.toml if there is one.",
    ),
]
Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="KEY=VALUE",
        show_default=False,
        help="Override one setting, such as policy.session_timeout=30s. May be repeated.",
    ),
]
Lines = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE]", show_default=False, help="Scenarios, one a line; or stdin."),
]
Recordings = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE]...", show_default=False, help="Recordings; or the topics of a cluster."
    ),
]
OneGroup = Annotated[
    str | None, typer.Option("--group", metavar="NAME", show_default=False, help="Only this group.")
]
Servers = Annotated[
    str | None,
    typer.Option(
        "--bootstrap-servers",
        metavar="HOST:PORT,...",
        show_default=False,
        help="The cluster to read when no file is named; otherwise that of the settings.",
    ),
]
Lasting = Annotated[
    str | None,
    typer.Option("--for", metavar="10m", show_default=False, help="How long, such as 30s or 10m."),
]
Output = Annotated[Format, typer.Option("--output", "-o", help="How to print the result.")]


@dataclass(slots=True)
class Call:
    """What the options before the command say."""

    quiet: bool = False
    debug: bool = False

    @property
    def progress(self) -> Progress:
        """Where progress goes."""
        return SILENT if self.quiet else Stderr()


def call_of(context: typer.Context) -> Call:
    """What ``console.main`` has started us with."""
    call = context.obj
    assert isinstance(call, Call)
    return call


def until_of(lasting: str | None) -> int | None:
    """Return when a time that begins now is over, in milliseconds since 1970."""
    if lasting is None:
        return None
    try:
        return time.time_ns() // 1_000_000 + milliseconds(parse_duration(lasting))
    except ValueError as error:
        raise Failure(f"--for {error}", ExitCode.USAGE) from error


def settings_of(config: Path | None, assignments: Sequence[str] | None) -> Loaded:
    """The settings as these options, the environment and the file have them."""
    return load(config=config, assignments=assignments or ())
