"""`make bench NAME=backlog`: what a controller does with millions of beats that wait for it."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bench.backlog.scenes import Scene, Told, play
from bench.command import conclude, run
from console.errors import Failure
from console.output import columns
from console.progress import Stderr

_TEMPORARY = Path(__file__).parents[2] / ".cache" / "tmp"
_MOST_BYTES = 2 << 30
_QUICK = 200_000


def backlog(
    *,
    beats: Annotated[int, typer.Option(min=1_000, help="So many wait.")] = 5_000_000,
    scene: Annotated[Scene | None, typer.Option(help="Only this one.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help=f"{_QUICK:,} beats.")] = False,
) -> None:
    """Kill a controller, and freeze one, while millions of beats are written; a few minutes each.

    What is decided on the way must be right, and the controller must get by with 2 GiB.

    Examples:
      make bench NAME=backlog
      python -m bench.backlog --quick               does it work?
      python -m bench.backlog --scene frozen
      python -m bench.backlog | tail -1 | jq .killed_mib
    """
    count = _QUICK if quick else beats
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="backlog-", dir=_TEMPORARY))
    try:
        scenes = [scene] if scene else list(Scene)
        told = [play(it, count, directory, Stderr()) for it in scenes]
    finally:
        shutil.rmtree(directory)
    conclude(_table(told, count), _headline(told, count))
    if max(it.memory for it in told) > _MOST_BYTES:
        raise Failure("the controller took more than 2 GiB")


def _table(told: list[Told], beats: int) -> str:
    rows = [
        {
            "the controller is": it.scene,
            "beats": f"{beats:,}",
            "written in": f"{it.written_s:.0f} s",
            "a newcomer works after": f"{it.newcomer_s:.0f} s",
            "at rest after": f"{it.rest_s:.0f} s",
            "most memory": f"{it.memory >> 20:,} MiB",
        }
        for it in told
    ]
    return columns(rows, *rows[0])


def _headline(told: list[Told], beats: int) -> dict[str, float | int]:
    figures: dict[str, float | int] = {"beats": beats}
    for it in told:
        figures |= {
            f"{it.scene}_newcomer_s": round(it.newcomer_s, 1),
            f"{it.scene}_rest_s": round(it.rest_s, 1),
            f"{it.scene}_mib": it.memory >> 20,
        }
    return figures


if __name__ == "__main__":
    run(backlog, "python -m bench.backlog")
