"""`trimtab simulate`: compare strategies before one is chosen.

What happens to the group is in ``console.simulation``, the drawing in ``console.plot``.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.options import Output
from console.errors import ExitCode, Failure
from console.output import Format, columns, show

if TYPE_CHECKING:
    from console.simulation import Step


class Churn(StrEnum):
    """What happens to the group."""

    ROLLING_RESTART = "rolling-restart"
    DEPLOY = "deploy"
    JOIN = "join"
    LEAVE = "leave"
    RANDOM = "random"


def simulate(
    *,
    members: Annotated[int, typer.Option(min=1, max=2_000, help="Members at the start.")] = 12,
    queues: Annotated[int, typer.Option(min=1, max=100_000, help="Queues of all topics.")] = 64,
    topics: Annotated[int, typer.Option(min=1, max=1_000, help="Topics to share them.")] = 1,
    strategy: Annotated[
        str, typer.Option(help="Strategies to compare, separated by commas.")
    ] = "STICKY,AVG,CONSISTENT_HASH",
    churn: Annotated[Churn, typer.Option(help="What happens.")] = Churn.ROLLING_RESTART,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw the cumulative moves.")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Apply the same changes of a group to several strategies, and compare them.

    MOVES are queues that lost their owner. MINIMUM is the fewest moves that would have kept the
    loads fair. IMBALANCE and SPREAD are the worst difference of two members' loads, in total and
    within a topic.

    Churns: rolling-restart (each member leaves and returns), deploy (each is replaced: the new
    one joins, then the old one leaves), join (the group doubles, one by one), leave (all but one
    go), random (100 joins and leaves).

    Examples:
      trimtab simulate --members 12 --queues 64
      trimtab simulate --strategy STICKY,RANGE --topics 8 --churn deploy --plot moves.svg
      trimtab simulate --members 100 --queues 1000 --churn random -o json
    """
    names = [name.strip() for name in strategy.split(",") if name.strip()]
    if not names:
        raise Failure("--strategy names none: such as STICKY,AVG", ExitCode.USAGE)
    share, more = divmod(queues, topics)
    sizes = {f"topic-{place:03d}": share + (place < more) for place in range(topics)}
    lives = _lives(names, sizes, churn, members)
    rows = [{"strategy": name, **_summary(steps)} for name, steps in lives.items()]
    if plot is not None:
        title = f"{churn}: {members} members, {queues} queues, {topics} topics"
        _draw(plot, title, lives)
    table = columns(rows, "strategy", "steps", "moves", "minimum", "imbalance", "spread")
    show({"churn": str(churn), "strategies": rows}, output, table)


def _lives(
    names: Sequence[str], sizes: Mapping[str, int], churn: Churn, members: int
) -> dict[str, list["Step"]]:
    from console.simulation import live_through, memberships

    try:
        return {name: live_through(name, sizes, memberships(churn, members)) for name in names}
    except (KeyError, ValueError) as error:
        raise Failure(str(error.args[0]), ExitCode.USAGE) from error


def _summary(steps: Sequence["Step"]) -> dict[str, int]:
    return {
        "steps": len(steps),
        "moves": sum(step.moves for step in steps),
        "minimum": sum(step.minimum for step in steps),
        "imbalance": max((step.imbalance for step in steps), default=0),
        "spread": max((step.spread for step in steps), default=0),
    }


def _draw(file: Path, title: str, lives: Mapping[str, Sequence["Step"]]) -> None:
    from console.plot import line_chart

    lines = {name: list(accumulate(step.moves for step in steps)) for name, steps in lives.items()}
    try:
        file.write_text(line_chart(title, "change", "queues moved so far", lines), "utf-8")
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}") from error
