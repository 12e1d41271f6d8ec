"""`make bench NAME=floor`: how far trimtab is above what Kafka and Spark cost by themselves."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bench.command import conclude, run
from bench.floor.plan import FULL, QUICK, About
from bench.floor.race import race
from bench.floor.report import headline, table
from console.progress import Stderr

_TEMPORARY = Path(__file__).parents[2] / ".cache" / "tmp"


def floor(
    *,
    about: Annotated[About, typer.Option(help="What both are asked.")] = About.GROUPS,
    quick: Annotated[bool, typer.Option("--quick", help="A minute instead of four.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep logs, data and checkpoints.")] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting, for both sides; repeatable."),
    ] = None,
) -> None:
    """Measure trimtab against the bare pipeline: from a record's append to its answer readable.

    Examples:
      make bench NAME=floor                       the whole run, under four minutes
      python -m bench.floor --quick               does it work?
      python -m bench.floor --about brokers       from a report to a verdict
      python -m bench.floor --set controller.fetch_wait=50ms
      python -m bench.floor | tail -1 | jq .idle_p50_ratio
    """
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="floor-", dir=_TEMPORARY))
    progress = Stderr()
    try:
        samples = race(QUICK if quick else FULL, about, directory, settings or (), progress)
    finally:
        if not keep:
            shutil.rmtree(directory)
    conclude(table(samples), headline(samples))


if __name__ == "__main__":
    run(floor, "python -m bench.floor")
