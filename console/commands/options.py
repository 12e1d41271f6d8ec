"""Options that several commands take, and what all of them need to know about their call.

Declared once, so that `--config`, `--set` and `-o` mean the same everywhere. A command gets the
``Call`` that ``console.main`` made from its context.

Its one rule, and that of all commands: what takes long to import is imported by a call, so that
`--help` answers at once.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.errors import ExitCode, Failure
from console.output import Format
from console.progress import SILENT, Logged, Progress, Stderr

if TYPE_CHECKING:
    from console.settings import Loaded

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
KeyValues = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="KEY=VALUE",
        show_default=False,
        help="Override one setting, such as kafka.bootstrap_servers=kafka-1:9092. May be repeated.",
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
Until = Annotated[
    str | None,
    typer.Option(
        "--until", metavar="TIME", show_default=False, help="Until when, instead of --for."
    ),
]
Patience = Annotated[
    str,
    typer.Option("--timeout", metavar="DURATION", help="How long to wait for the answer."),
]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Only write it; the answer will appear in the history.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would change, and give no command.")
]
Watch = Annotated[
    bool, typer.Option("--watch", "-w", help="Show it again every two seconds, until Ctrl-C.")
]
_ASTRAY_MS = 60_000
"""So much may a clock here be behind the one that stamped what is asked for."""
Output = Annotated[Format, typer.Option("--output", "-o", help="How to print the result.")]


@dataclass(slots=True)
class Call:
    """What the options before the command say."""

    quiet: bool = False
    debug: bool = False
    in_json: bool = False
    """Whether the command logs in JSON: then its progress and its last line are JSON as well."""

    @property
    def progress(self) -> Progress:
        """Where progress goes."""
        if self.quiet:
            return SILENT
        return Logged() if self.in_json else Stderr()


def call_of(context: typer.Context) -> Call:
    """What ``console.main`` has started us with."""
    call = context.obj
    assert isinstance(call, Call)
    return call


def now_ms() -> int:
    """Return the time, in milliseconds since 1970, as records have it."""
    return time.time_ns() // 1_000_000


def until_of(lasting: str | None, until: str | None) -> int | None:
    """Return when something ends that begins now, in milliseconds since 1970; None: it does not."""
    if lasting is None:
        end_ms = moment_of("--until", until)
        if end_ms is not None and end_ms <= now_ms():
            reason = f"--until: {until} is in the past; for a time from now on give --for"
            raise Failure(reason, ExitCode.USAGE)
        return end_ms
    if until is not None:
        raise Failure("give either --for or --until", ExitCode.USAGE)
    return now_ms() + milliseconds_of("--for", lasting)


def milliseconds_of(option: str, duration: str) -> int:
    """Read the duration that an option was given."""
    from console.settings.units import milliseconds, parse_duration

    try:
        return milliseconds(parse_duration(duration))
    except ValueError as error:
        raise Failure(f"{option} {error}", ExitCode.USAGE) from error


def span_of(
    since: str | None, until: str | None, *, back: str | None
) -> tuple[int | None, int | None]:
    """Read from when to when; where nobody says from when, it is so long ``back`` from the end."""
    begin, end = past_of("--since", since), moment_of("--until", until, past=True)
    if begin is not None and end is not None and end < begin:
        end = moment_of("--until", until)  # 03:00 is today's if it begins at 02:00
        if end is not None and end < begin:
            raise Failure(f"--since: {since} is after --until {until}", ExitCode.USAGE)
    if begin is None and back is not None:
        begin = max(0, (now_ms() if end is None else end) - milliseconds_of("--since", back))
    return begin, end


def past_of(option: str, text: str | None) -> int | None:
    """Read a moment that has been: of one to come a log can say nothing."""
    at_ms = moment_of(option, text, past=True)
    if at_ms is not None and at_ms > now_ms() + _ASTRAY_MS:
        raise Failure(f"{option}: {text} has not come yet; times are in UTC", ExitCode.USAGE)
    return at_ms


def moment_of(option: str, text: str | None, *, past: bool = False) -> int | None:
    """Read a moment: a time, or a duration for so long ago; in milliseconds since 1970."""
    from console.settings.units import milliseconds, parse_duration
    from console.views.moments import read

    if text is None:
        return None
    now = now_ms()
    try:
        return max(0, now - milliseconds(parse_duration(text)))
    except ValueError:
        pass
    try:
        return read(text, now, past=past)
    except (ValueError, OverflowError) as error:
        raise Failure(f"{option}: {error}", ExitCode.USAGE) from error


def as_given(config: Path | None, key_values: Sequence[str] | None) -> str:
    """Return these options as they would be typed again; secrets are not repeated.

    The policy is the controller's, and concerns no command that is not rehearsed.
    """
    from console.settings.layers import from_flags
    from console.settings.masking import masked
    from console.views.typed import quoted

    words = [] if config is None else ["--config", quoted(str(config))]
    for text in key_values or ():
        given = from_flags([text])
        is_open = all(masked(key, it.value) == it.value for key, it in given.items())
        if is_open and all(key[0] != "policy" for key in given):
            words += ["--set", quoted(text)]
    return " ".join(words)


def settings_of(config: Path | None, key_values: Sequence[str] | None) -> "Loaded":
    """The settings as these options, the environment and the file have them."""
    from console.settings import load

    return load(config=config, key_values=key_values or ())
