"""`make bench NAME=brokers`: what a bad broker costs producers, and what the verdict saves them."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bench.brokers.plan import FULL, QUICK
from bench.brokers.report import headline, picture, table
from bench.brokers.run import play
from bench.command import conclude, run
from console.progress import Stderr

_TEMPORARY = Path(__file__).parents[2] / ".cache" / "tmp"


def brokers(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="A minute and a half.")] = False,
    rate: Annotated[
        float, typer.Option(min=1, help="Messages a second of each producer with the verdict.")
    ] = FULL.rate,
    keep: Annotated[bool, typer.Option("--keep", help="Keep logs and data.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw it, as SVG.")
    ] = None,
) -> None:
    """Let one of three brokers become slow and hang, under three kinds of producers: 5 minutes.

    Examples:
      make bench NAME=brokers
      python -m bench.brokers --quick               does it work?
      python -m bench.brokers --rate 15             all at one rate
      python -m bench.brokers --plot brokers.svg
      python -m bench.brokers | tail -1 | jq .central_touched_after_verdict
    """
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="brokers-", dir=_TEMPORARY))
    try:
        story = play(replace(QUICK if quick else FULL, rate=rate), directory, Stderr())
    finally:
        if not keep:
            shutil.rmtree(directory)
    if plot is not None:
        plot.write_text(picture(story))
    conclude(table(story), headline(story))


if __name__ == "__main__":
    run(brokers, "python -m bench.brokers")
