"""`trimtab plan`: what would move, from whom to whom and why, before anything is done.

Reads its options and prints; the answer is that of the controller's own code, in
``console.planning``.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.group_views import Group
from console.commands.options import ConfigFile, KeyValues, Output, settings_of
from console.errors import ExitCode, Failure
from console.output import Format, show

if TYPE_CHECKING:
    from console.planning.plan import Asking
    from console.settings import Settings
    from trimtab.protocol import Command

MOST = 1_000
"""As many members a plan adds at most: more than any group gets at once."""


Drained = Annotated[
    list[str] | None,
    typer.Option(
        "--drain", metavar="MEMBER", show_default=False, help="Member to drain. May be repeated."
    ),
]
Lost = Annotated[
    list[str] | None,
    typer.Option(
        "--lose", metavar="MEMBER", show_default=False, help="Member that dies. May be repeated."
    ),
]
Host = Annotated[
    str | None,
    typer.Option(metavar="HOST", show_default=False, help="All members of a host die."),
]
Rack = Annotated[
    str | None,
    typer.Option(metavar="RACK", show_default=False, help="All members of a rack die."),
]
Add = Annotated[int, typer.Option(metavar="N", min=0, max=MOST, help="Number of members to add.")]
Like = Annotated[
    str | None,
    typer.Option(
        metavar="MEMBER", show_default=False, help="New members copy this one, and its name."
    ),
]
Topics = Annotated[
    list[str] | None,
    typer.Option("--topic", metavar="TOPIC", show_default=False, help="Topic of the new members."),
]
Strategy = Annotated[
    str | None, typer.Option(metavar="NAME", show_default=False, help="It gets this strategy.")
]


def plan(
    name: Group,
    *,
    drain: Drained = None,
    lose: Lost = None,
    lose_host: Host = None,
    lose_rack: Rack = None,
    add: Add = 0,
    like: Like = None,
    topic: Topics = None,
    strategy: Strategy = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    output: Output = Format.TABLE,
) -> None:
    """Say what a change would move, and do nothing.

    The group is rebuilt from what is published, as by a controller that starts, and stepped by the
    controller's own code under these settings. Several changes happen one after the other. For
    members that fall silent it also says how long that takes, and whether the controller would
    believe so many. A host is the beginning of a member's name or instance. Members that come are
    named after one that is there, and in its rack, because some strategies go by these:
    worker-1-new-1. Without --like that is one of those that may own what most may own.

    Examples:
      trimtab plan billing --drain worker-3
      trimtab plan billing --lose worker-3
      trimtab plan billing --lose-host node-7 -o json
      trimtab plan billing --add 2
      trimtab plan billing --strategy AVG
    """
    if like is not None and not add:
        raise Failure(
            "--like needs --add: it names the member that new members copy", ExitCode.USAGE
        )
    if topic and not add:
        raise Failure("--topic needs --add: it is what new members subscribe", ExitCode.USAGE)

    from console.planning.question import Question

    question = Question(
        drain or (), lose or (), lose_host, lose_rack, add, like, topic or (), strategy
    )
    settings = settings_of(config, key_values).settings
    answer(settings, name, question.changes, output, resumed=True)


def rehearse(settings: "Settings", name: str, *commands: "Command") -> None:
    """Print what commands to a group would move; they are not given."""
    from console.planning.changes import Commanded

    changes = [Commanded(it) for it in commands]
    answer(settings, name, lambda _: changes, Format.TABLE, resumed=False)


def answer(
    settings: "Settings", name: str, asking: "Asking", output: Format, *, resumed: bool
) -> None:
    """Print what is asked; a change that would be refused ends with 3."""
    from console.planning import shown
    from console.planning.known import known_of
    from console.planning.plan import plan as planned
    from console.published import Published, at_once

    known = at_once(lambda: known_of(Published(settings), name))
    policy = settings.policy.policy(settings.controller.max_clock_step)
    told = at_once(lambda: planned(known, policy, asking, resumed=resumed))
    show(shown.result(told), output, shown.screen(told))
    if told.refused:
        raise typer.Exit(ExitCode.UNHEALTHY)
