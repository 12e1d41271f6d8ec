"""`make bench NAME=faults`: what a cluster's reports cost inside the state function."""

import time
from statistics import median
from typing import Annotated, NamedTuple

import typer

from bench.command import conclude, run
from bench.faults.traffic import RULES, Load, seconds
from console.output import fields
from console.progress import Stderr
from streaming.cell import fold
from streaming.codec import Cell, read, write
from trimtab.protocol import BROKERS


class Measured(NamedTuple):
    """What a run of seconds cost."""

    each_s: list[float]
    """Processor time of each second's batch."""
    state_bytes: int
    found_after: int | None
    """Seconds from the first failure to the verdict."""


def faults(
    reporters: Annotated[int, typer.Option(min=2, help="Producers that report.")] = 1_000,
    brokers: Annotated[int, typer.Option(min=2, help="Brokers in each report.")] = 50,
    length: Annotated[int, typer.Option("--seconds", min=4, help="Seconds of log.")] = 40,
) -> None:
    """Fold a cluster's reports in this process, a batch a second, without Spark: half a minute.

    Examples:
      make bench NAME=faults
      python -m bench.faults --reporters 100 --brokers 10 | tail -1 | jq .core_share
    """
    load = Load(reporters, brokers, length)
    with Stderr().step(f"folding {length} seconds of {reporters} reporters"):
        measured = measure(load)
    usual, worst = median(measured.each_s), max(measured.each_s)
    figures: dict[str, object] = {
        "a second of reports, median": f"{usual:.2f} s",
        "a second of reports, worst (a sweep ends)": f"{worst:.2f} s",
        "state": f"{measured.state_bytes / 1e6:.2f} MB",
        "from the first failure to the verdict": f"{measured.found_after} s of log",
    }
    headline = {"core_share": round(sum(measured.each_s) / length, 3), "worst_s": round(worst, 3)}
    conclude(fields(figures), headline)


def measure(load: Load) -> Measured:
    """Fold each second from the bytes that the one before has left, as Spark does."""
    state, each, found = write(Cell()), list[float](), None
    for second, rows in enumerate(seconds(load)):
        begun = time.process_time()
        folded = fold(read(state), rows, RULES)
        state = write(folded.cell)
        each.append(time.process_time() - begun)
        told = [it.value or b"" for it in folded.records if it.topic.endswith(BROKERS.name)]
        if found is None and any(b'"available":false' in value for value in told):
            found = second - load.seconds // 2
    return Measured(each, len(state), found)


if __name__ == "__main__":
    run(faults, "python -m bench.faults")
