"""`make bench NAME=cluster`: how many more beats two workers of Spark's read than one."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Final

import typer

from bench.cluster.scenes import Load, Seen, play
from bench.command import conclude, run
from console.output import columns
from console.progress import Stderr

_TEMPORARY: Final = Path(__file__).parents[2] / ".cache" / "tmp"
_GOAL: Final = 1.7


def cluster(
    *,
    workers: Annotated[list[int] | None, typer.Option(min=1, help="So many; repeatable.")] = None,
    beats: Annotated[int, typer.Option(min=10_000, help="So many wait.")] = 1_000_000,
    rows: Annotated[int, typer.Option(min=1_000, help="Of a batch.")] = 250_000,
    share: Annotated[float, typer.Option(min=0.05, max=1, help="Of a core, a worker.")] = 0.3,
) -> None:
    """Let one worker, and two, read the beats that wait; each has a share of a core.

    A share, because a small machine has no core for each worker beside Kafka and the driver. It is
    held for a worker's Java and Python together, so two workers have twice of what one has.

    Examples:
      make bench NAME=cluster
      python -m bench.cluster --beats 100000 --rows 50000 --workers 1        does it work?
    """
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    found = list[Seen]()
    for count in workers or (1, 2):
        directory = Path(tempfile.mkdtemp(prefix="cluster-", dir=_TEMPORARY))
        try:
            found.append(play(count, Load(beats, rows, share), directory, Stderr()))
        finally:
            shutil.rmtree(directory)
    rows_of_table = [_row(it, found[0]) for it in found]
    figures = {f"beats_s_{it.workers}": round(it.rate) for it in found}
    ratio = round(found[-1].rate / found[0].rate, 2)
    load = round(os.getloadavg()[0], 1)
    table = columns(rows_of_table, *rows_of_table[0])
    conclude(table, {**figures, "ratio": ratio, "goal": _GOAL, "load": load})


def _row(seen: Seen, first: Seen) -> dict[str, object]:
    return {
        "workers": seen.workers,
        "seconds": f"{seen.seconds:.1f}",
        "beats/s": f"{seen.rate:,.0f}",
        "ratio": f"{seen.rate / first.rate:.2f}",
        "cores of each": ", ".join(f"{it:.2f}" for it in seen.cores),
    }


if __name__ == "__main__":
    run(cluster, "python -m bench.cluster")
