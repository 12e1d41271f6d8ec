"""`trimtab topics`: create and check trimtab's own topics.

Prints what ``console.topics`` finds, a row a topic on stdout and a line a problem on stderr, and
turns problems into the exit code that scripts look for.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.help import Command, group
from console.commands.options import ConfigFile, KeyValues, Output, call_of, settings_of
from console.errors import ExitCode, Failure
from console.output import Format, columns, show

if TYPE_CHECKING:
    from console.topics import Found

app = group()


@app.callback()
def topics() -> None:
    """The topics of trimtab itself.

    Examples:
      trimtab topics init --dry-run    say what would be created
      trimtab topics init              create what is missing, then check all
      trimtab topics check             check all; exit code 3 when something is not as it must be
    """


@app.command(cls=Command)
def init(
    context: typer.Context,
    *,
    dry_run: Annotated[bool, typer.Option(help="Only say what would be created.")] = False,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Create the topics that are missing and check them all.

    Topics that exist are never changed. Running it again is harmless.

    Examples:
      trimtab topics init --dry-run
      trimtab topics init --set topics.partitions=16 --set topics.replication_factor=3
    """
    from console.cluster import admin, bootstrap_servers
    from console.topics import create_missing, survey, wanted

    settings = settings_of(config, key_values).settings
    servers = bootstrap_servers(settings)
    client = admin(settings, servers)
    found = survey(client, wanted(settings), servers)
    missing = {topic.spec.name for topic in found if topic.is_missing}
    if missing and not dry_run:
        with call_of(context).progress.step(f"creating {len(missing)} topics"):
            found = create_missing(client, found, servers)
    _show(found, output, made=missing, verb="would be created" if dry_run else "created")
    _refuse([topic for topic in found if not (dry_run and topic.is_missing)])


@app.command(cls=Command)
def check(
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Check that every topic exists and is as it must be; exit code 3 if not.

    Examples:
      trimtab topics check
      trimtab topics check -o json
    """
    from console.cluster import admin, bootstrap_servers
    from console.topics import leaderless, survey, wanted

    settings = settings_of(config, key_values).settings
    servers = bootstrap_servers(settings)
    found = survey(admin(settings, servers), wanted(settings), servers)
    lost = [str(leaderless(it.spec.name, it.unled)) for it in found if it.unled]
    _show(found, output, lost=lost)
    _refuse(found, lost)


def _show(
    found: "Sequence[Found]",
    output: Format,
    *,
    made: Collection[str] = (),
    verb: str = "",
    lost: Sequence[str] = (),
) -> None:
    from console.topics import problems

    rows = [
        {
            "topic": topic.spec.name,
            "state": verb if topic.spec.name in made else topic.state,
            "partitions": topic.spec.partitions if topic.is_missing else topic.partitions,
            "cleanup": topic.spec.config["cleanup.policy"],
            "about": topic.spec.topic.about,
        }
        for topic in found
    ]
    table = columns(rows, "topic", "state", "partitions", "cleanup", "about")
    show({"topics": rows, "problems": [*problems(found), *lost]}, output, table)


def _refuse(found: "Sequence[Found]", lost: Sequence[str] = ()) -> None:
    from console.topics import problems

    if lines := [*problems(found), *lost]:
        raise Failure("\n".join(lines), ExitCode.UNHEALTHY)
