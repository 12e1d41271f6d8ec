"""`make bench NAME=scale`: how many members one controller serves, and at what cost."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bench.command import conclude, run
from bench.floor.plan import Side
from bench.scale.scenes import Load, Scene, Seen, play
from console.errors import ExitCode, Failure
from console.output import columns
from console.progress import Stderr

_TEMPORARY = Path(__file__).parents[2] / ".cache" / "tmp"
_MEMBERS = [1_000, 10_000, 100_000]


def scale(
    *,
    members: Annotated[list[int] | None, typer.Option(min=10, help="How many; repeatable.")] = None,
    group: Annotated[str, typer.Option(help="Members and queues of each group.")] = "10x10",
    interval: Annotated[float, typer.Option(min=0.5, help="Seconds between beats.")] = 3.0,
    seconds: Annotated[float, typer.Option(min=5, help="How long each is measured.")] = 60.0,
    scene: Annotated[Scene, typer.Option(help="What happens meanwhile.")] = Scene.STEADY,
    side: Annotated[list[Side] | None, typer.Option(help="Only this one; by default both.")] = None,
) -> None:
    """Measure the controller, and the floor, under the beats of so many members.

    The floor is the same pipeline around a function that only counts. A run of one size and side
    takes the seconds and about a minute more, with 100,000 members two minutes more.

    Examples:
      make bench NAME=scale
      python -m bench.scale --members 1000 --seconds 20          does it work?
      python -m bench.scale --members 100000 --scene neighbour --seconds 180
      python -m bench.scale --members 10000 --group 10000x10000 --scene rolling
      python -m bench.scale --scene idle --members 10 --side trimtab
    """
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    size, queues = _numbers(group)
    found = list[Seen]()
    for count in members or _MEMBERS:
        load = Load(count, min(size, count), queues, interval, seconds)
        for one in side or Side:
            directory = Path(tempfile.mkdtemp(prefix="scale-", dir=_TEMPORARY))
            try:
                found.append(play(one, scene, load, directory, Stderr()))
            finally:
                shutil.rmtree(directory)
    rows = [_row(it) for it in found]
    conclude(columns(rows, *rows[0]), _headline(found))


def _numbers(group: str) -> tuple[int, int]:
    size, _, queues = group.partition("x")
    if not (size.isdecimal() and queues.isdecimal() and int(size) and int(queues)):
        raise Failure(f"--group is {group}: say members x queues, as 10x10", ExitCode.USAGE)
    return int(size), int(queues)


def _row(seen: Seen) -> dict[str, object]:
    return {
        "members": f"{seen.load.members:,}",
        "side": seen.side,
        "beats/s": f"{seen.generated.get('rate', 0):,.0f}",
        "restarted": f"{seen.generated.get('restarted', 0):,.0f}",
        "keeps up": "yes" if seen.keeps_up else "NO",
        "behind, most": f"{max(seen.behind_s, default=0):.1f} s",
        "Java": f"{seen.cores['java']:.2f} cores",
        "Python": f"{seen.cores['python']:.2f} cores",
        "batch p50": f"{_part(seen.batch_s, 50):.2f} s",
        "p99": f"{_part(seen.batch_s, 99):.2f} s",
        "join p50": f"{_part(seen.join_ms, 50):,.0f} ms",
        "p99 ": f"{_part(seen.join_ms, 99):,.0f} ms",
        "state": f"{seen.state_bytes / seen.load.members:,.0f} B a member",
        "all in after": f"{seen.start_s:.0f} s",
    }


def _headline(found: list[Seen]) -> dict[str, float | int]:
    figures: dict[str, float | int] = {}
    for it in found:
        begin = f"{it.side}_{it.load.members}"
        figures |= {
            f"{begin}_keeps_up": int(it.keeps_up),
            f"{begin}_cores": round(sum(it.cores.values()), 3),
            f"{begin}_behind_s": round(max(it.behind_s, default=0), 1),
            f"{begin}_batch_p50_s": round(_part(it.batch_s, 50), 3),
            f"{begin}_join_p50_ms": round(_part(it.join_ms, 50)),
            f"{begin}_join_p99_ms": round(_part(it.join_ms, 99)),
            f"{begin}_state_bytes": round(it.state_bytes / it.load.members),
            f"{begin}_generator_late_s": round(it.generated.get("late_s", 0), 1),
        }
    return figures


def _part(values: list[float], percent: int) -> float:
    """Return a percentile, by the nearest rank."""
    ranked = sorted(values)
    return ranked[max(0, -(-percent * len(ranked) // 100) - 1)] if ranked else 0.0


if __name__ == "__main__":
    run(scale, "python -m bench.scale")
