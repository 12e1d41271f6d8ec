"""`make bench NAME=faults`: what a cluster's reports cost, and whether a controller keeps up."""

import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, NamedTuple

import typer

from bench.command import conclude, run
from bench.faults.flood import Flooded, flood
from bench.faults.traffic import POLICY, Load, seconds
from bench.fold.parts import Remembered
from bench.frames import framed
from console.errors import Failure
from console.output import fields
from console.progress import Stderr
from rebalance.brokers.policy import VerdictPolicy
from streaming.cell.codec import Cell, write
from streaming.cell_operator import CellOperator
from trimtab.protocol import BROKERS, DEFAULT_PREFIX

_TEMPORARY = Path(__file__).parents[2] / ".cache" / "tmp"


class Measured(NamedTuple):
    """What a run of seconds cost."""

    each_s: list[float]
    """Processor time of each second's batch."""
    state_bytes: int
    found_after: int
    """Seconds from the first failure to the verdict."""


def faults(
    *,
    reporters: Annotated[int, typer.Option(min=2, help="Producers that report.")] = 1_000,
    brokers: Annotated[int, typer.Option(min=2, help="Brokers in each report.")] = 50,
    length: Annotated[int, typer.Option("--seconds", min=4, help="Seconds of log.")] = 40,
    spark: Annotated[bool, typer.Option("--spark", help="On a real Kafka and Spark.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="24 seconds of log.")] = False,
) -> None:
    """Fold a cluster's reports, a second of them each second: alone, or by a real controller.

    Examples:
      make bench NAME=faults                    the fold alone: half a minute
      python -m bench.faults --spark            does a controller keep up? two minutes
      python -m bench.faults --spark --quick
      python -m bench.faults --reporters 100 --brokers 10 | tail -1 | jq .core_share
    """
    load = Load(reporters, brokers, 24 if quick else length)
    if spark:
        _with_spark(load)
    else:
        _alone(load)


def _alone(load: Load) -> None:
    with Stderr().step(f"folding {load.seconds} seconds of {load.reporters} reporters"):
        measured = measure(load)
    usual, worst = median(measured.each_s), max(measured.each_s)
    figures: dict[str, object] = {
        "a second of reports, median": f"{usual:.2f} s",
        "a second of reports, worst (a sweep ends)": f"{worst:.2f} s",
        "state": f"{measured.state_bytes / 1e6:.2f} MB",
        "from the first failure to the verdict": f"{measured.found_after} s of log",
    }
    share = sum(measured.each_s) / load.seconds
    conclude(fields(figures), {"core_share": round(share, 3), "worst_s": round(worst, 3)})


@dataclass
class _Kept(Remembered):
    """A state handle that remembers."""

    def update(self, newValue: object) -> None:  # noqa: N803 - Spark's name
        """Keep it for the next second."""
        assert isinstance(newValue, tuple)
        (self.bytes_of_state,) = newValue


def measure(load: Load) -> Measured:
    """Fold each second from the bytes that the one before has left, as Spark does."""
    state, each, found = _Kept(write(Cell())), list[float](), None
    operator = CellOperator(DEFAULT_PREFIX, 1, POLICY, VerdictPolicy())
    for second, rows in enumerate(seconds(load)):
        frame = framed(rows)
        begun = time.process_time()
        frames = list(operator((0,), iter([frame]), state))
        each.append(time.process_time() - begun)
        told = [
            value
            for frame in frames
            for topic, value in zip(frame["topic"], frame["value"], strict=True)
            if topic.endswith(BROKERS.name) and b'"available":false' in (value or b"")
        ]
        if found is None and told:
            found = second - load.seconds // 2
    if found is None:
        raise Failure("no verdict came: what was measured is not what is asked for")
    return Measured(each, len(state.bytes_of_state), found)


def _with_spark(load: Load) -> None:
    _TEMPORARY.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="faults-", dir=_TEMPORARY))
    try:
        flooded = flood(load, directory, Stderr())
    finally:
        shutil.rmtree(directory)
    first, then = _halves(flooded, load.seconds / 2)
    slowest = max(it.milliseconds for it in flooded.commands)
    figures: dict[str, object] = {
        "a command among reports, first half, p50": f"{first:.0f} ms",
        "a command among reports, second half, p50": f"{then:.0f} ms",
        "the slowest of all": f"{slowest:.0f} ms",
        "from the first failure to the verdict": f"{flooded.found_after_s:.1f} s",
        "cores that the controller used": f"{flooded.cores:.2f}",
    }
    headline = {
        "lag_ratio": round(then / first, 3),
        "order_p50_ms": round(then, 1),
        "order_max_ms": round(slowest, 1),
        "found_after_s": round(flooded.found_after_s, 1),
        "cores": round(flooded.cores, 2),
    }
    conclude(fields(figures), headline)


def _halves(flooded: Flooded, middle: float) -> tuple[float, float]:
    """Whoever falls behind is later in the second half than in the first."""
    return (
        median(it.milliseconds for it in flooded.commands if it.second < middle),
        median(it.milliseconds for it in flooded.commands if it.second >= middle),
    )


if __name__ == "__main__":
    run(faults, "python -m bench.faults")
