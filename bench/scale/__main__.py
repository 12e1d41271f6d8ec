"""`make bench NAME=scale`: how many members one controller serves, and at what cost."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bench.command import conclude, run
from bench.floor.plan import Side
from bench.scale.load import Load, Scene
from bench.scale.members import Kind
from bench.scale.scenes import AT_ONCE, Seen, play
from bench.scale.soak import trends
from console.errors import ExitCode, Failure
from console.output import columns
from console.progress import Stderr

_TEMPORARY = Path(__file__).parents[2] / ".cache" / "tmp"
_MEMBERS = [1_000, 10_000, 100_000]
_INTERVALS_S = {Kind.SDK: 3.0, Kind.ROCKETMQ: 30.0}


def scale(  # noqa: PLR0913 - options of a command, all by name
    *,
    members: Annotated[list[int] | None, typer.Option(min=10, help="How many; repeatable.")] = None,
    group: Annotated[str, typer.Option(help="Members and queues of each group.")] = "10x10",
    kind: Annotated[Kind, typer.Option(help="What they are.")] = Kind.SDK,
    interval: Annotated[
        float | None, typer.Option(min=0.5, help="Seconds between beats; by default 3, or 30.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=5, help="How long each is measured.")] = 60.0,
    scene: Annotated[Scene, typer.Option(help="What happens meanwhile.")] = Scene.STEADY,
    side: Annotated[list[Side] | None, typer.Option(help="Only this one; by default both.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting, for both sides; repeatable."),
    ] = None,
) -> None:
    """Measure the controller, and the floor, under the beats of so many members.

    The floor is the same pipeline around a function that only counts. Measuring begins when the
    joins are worked off. A run of one size and side takes the seconds and about a minute more, with
    100,000 members four minutes. RocketMQ's own clients beat every 30 s, each in four groups of the
    size.

    Examples:
      make bench NAME=scale
      python -m bench.scale --members 1000 --seconds 20          does it work?
      python -m bench.scale --members 100000 --scene neighbour --seconds 180
      python -m bench.scale --members 10000 --group 10000x10000 --scene rolling
      python -m bench.scale --scene idle --members 10 --side trimtab
      python -m bench.scale --scene soak --members 10000 --side trimtab --seconds 1800
      python -m bench.scale --scene backlog --members 100000 --side trimtab --seconds 600
      python -m bench.scale --members 100000 --set controller.cells_per_partition=2
      python -m bench.scale --kind rocketmq --members 10000 --group 40x40 --seconds 300
    """
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    size, queues = _numbers(group)
    found = list[Seen]()
    for count in members or _MEMBERS:
        every_s = interval or _INTERVALS_S[kind]
        load = Load(count, min(size, count), queues, every_s, seconds, kind)
        for one in side or Side:
            directory = Path(tempfile.mkdtemp(prefix="scale-", dir=_TEMPORARY))
            try:
                found.append(play(one, scene, load, settings or (), directory, Stderr()))
            finally:
                shutil.rmtree(directory)
    rows = [row(it) for it in found]
    conclude(columns(rows, *rows[0]) + _slopes(found), headline(found))


def _numbers(group: str) -> tuple[int, int]:
    size, _, queues = group.partition("x")
    if not (size.isdecimal() and queues.isdecimal() and int(size) and int(queues)):
        raise Failure(f"--group is {group}: say members x queues, as 10x10", ExitCode.USAGE)
    return int(size), int(queues)


def row(seen: Seen) -> dict[str, object]:
    """Return the row of one run."""
    return {
        "members": f"{seen.load.members:,}",
        "scene": seen.scene,
        "side": seen.side,
        "beats/s": f"{seen.generated.get('rate', 0):,.0f}",
        "sent late, most": _said(seen.generated.get("late_s"), "{:.1f} s"),
        "restarted": f"{seen.generated.get('restarted', 0):,.0f}",
        "keeps up": "yes" if seen.keeps_up else "NO",
        "behind, most": _said(max(seen.behind_s, default=None), "{:.1f} s"),
        "Java": f"{seen.cores['java']:.2f} cores",
        "Python": f"{seen.cores['python']:.2f} cores",
        "a beat, Java": _said(_used_us(seen, "java"), "{:,.1f} us"),
        "Python ": _said(_used_us(seen, "python"), "{:,.1f} us"),
        "batch p50": _said(_part(seen.batch_s, 50), "{:.2f} s"),
        "p99": _said(_part(seen.batch_s, 99), "{:.2f} s"),
        "join p50": _said(_part(seen.join_ms, 50), "{:,.0f} ms"),
        "p99 ": _said(_part(seen.join_ms, 99), "{:,.0f} ms"),
        "leave p50": _said(_part(seen.leave_ms, 50), "{:,.0f} ms"),
        "p99  ": _said(_part(seen.leave_ms, 99), "{:,.0f} ms"),
        "state": f"{seen.state_bytes / seen.load.members:,.0f} B a member",
        "all in after": f"{seen.start_s:.0f} s",
        "caught up after": _caught_up(seen),
    }


def _caught_up(seen: Seen) -> str:
    if seen.caught_up_s is None:
        return "-" if seen.scene in AT_ONCE else "never"
    return f"{seen.caught_up_s:.0f} s"


def _said(figure: float | None, form: str) -> str:
    """Write a figure down; one that there is not is not 0, which would be the best of all."""
    return "-" if figure is None else form.format(figure)


def _used_us(seen: Seen, language: str) -> float | None:
    """Return the processor time of one beat; what the rest costs is in it, so more is better."""
    rate = seen.generated.get("rate", 0)
    return 1e6 * seen.cores[language] / rate if rate else None


def _slopes(found: list[Seen]) -> str:
    """Return the table of what grows in a soak; empty if there was none."""
    rows = [
        {
            "side": seen.side,
            "what": it.what,
            "at first": f"{it.begins:,.2f} {it.unit}",
            "at last": f"{it.ends:,.2f} {it.unit}",
            "slope": f"{it.slope:+,.2f} {it.unit} an hour",
        }
        for seen in found
        for it in trends(seen.samples)
    ]
    return f"\n\n{columns(rows, *rows[0])}" if rows else ""


def headline(found: list[Seen]) -> dict[str, float | int]:
    """Return the figures of all runs, by side and members."""
    figures: dict[str, float | int] = {}
    for it in found:
        begin = f"{it.side}_{it.load.members}"
        figures |= {
            f"{begin}_keeps_up": int(it.keeps_up),
            f"{begin}_cores": round(sum(it.cores.values()), 3),
            f"{begin}_state_bytes": round(it.state_bytes / it.load.members),
        }
        measured = {
            "behind_s": max(it.behind_s, default=None),
            "batch_p50_s": _part(it.batch_s, 50),
            "join_p50_ms": _part(it.join_ms, 50),
            "join_p99_ms": _part(it.join_ms, 99),
            "leave_p50_ms": _part(it.leave_ms, 50),
            "leave_p99_ms": _part(it.leave_ms, 99),
            "generator_late_s": it.generated.get("late_s"),
            "caught_up_s": it.caught_up_s,
        } | {f"{language}_beat_us": _used_us(it, language) for language in it.cores}
        figures |= {
            f"{begin}_{name}": round(figure, 3)
            for name, figure in measured.items()
            if figure is not None
        }
        for one in trends(it.samples):
            figures[f"{begin}_{one.what}_slope_{one.unit.lower()}_an_hour"] = round(one.slope, 3)
    return figures


def _part(values: list[float], percent: int) -> float | None:
    """Return a percentile, by the nearest rank; None of nothing."""
    ranked = sorted(values)
    return ranked[max(0, -(-percent * len(ranked) // 100) - 1)] if ranked else None


if __name__ == "__main__":
    run(scale, "python -m bench.scale")
