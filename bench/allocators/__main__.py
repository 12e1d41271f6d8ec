"""`make bench NAME=allocators`: STICKY beside Kafka's uniform and range assignors, in one run."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import product
from typing import Annotated

import typer

from bench.allocators import ours, report
from bench.allocators.contest import SIDES, Contest, Result, Size, churn
from bench.allocators.kafka import Kafka
from bench.allocators.ranges import differences
from bench.allocators.report import Table, headline
from bench.allocators.scenario import scenario
from bench.allocators.weights import weighed
from bench.command import conclude, run
from console.errors import ExitCode, Failure
from console.progress import Stderr

SIZES: tuple[Size, ...] = (
    (100, 10, 10),
    (1_000, 10, 100),
    (1_000, 50, 1_000),
    (10_000, 10, 100),
    (10_000, 50, 1_000),
)
SUBSCRIPTIONS = ("same", "pools", "halves")
STEPS = 400
STRATEGIES = ("STICKY", "AVG", "AVG_BY_CIRCLE", "CONSISTENT_HASH", "RANGE", "ROUND_ROBIN")


def allocators(
    *,
    only: Annotated[
        str, typer.Option(help="Only groups whose title has this in it, such as 1000x10x100.")
    ] = "",
    runs: Annotated[int, typer.Option(min=1, help="Timed runs of each question.")] = 11,
) -> None:
    """Compare time, moves over the fewest, even totals and even topics: about ten minutes.

    Examples:
      make bench NAME=allocators
      python -m bench.allocators --only "100x10x10 same" | tail -1 | jq .
    """
    results: list[Result] = []
    progress = Stderr()
    with Kafka() as kafka:
        table = report.contests()
        for size, subscriptions in product(SIZES, SUBSCRIPTIONS):
            title = f"{size[0]}x{size[1]}x{size[2]} {subscriptions}"
            if only not in title:
                continue
            with progress.step(title):
                group = scenario(*size, subscriptions)
                for result in Contest(kafka, group, title, runs).results():
                    table.row(report.row(result))
                    results.append(result)
        if not results:
            raise Failure(f"no group has {only!r} in its title", ExitCode.USAGE)
        figures = headline(results) | _lives(kafka, progress) | _weights(kafka, progress)
        with progress.step("RANGE beside Kafka's, queue by queue"):
            asked, different = differences(kafka)
    figures |= _costs(progress, runs) | {"range_queues": asked, "range_queues_different": different}
    conclude(f"RANGE: {asked} queues, {different} with another owner than Kafka's\n", figures)


def _lives(kafka: Kafka, progress: Stderr) -> dict[str, float | int]:
    with progress.step(f"{STEPS} random joins and leaves, 100x10x10"):
        lives = churn(kafka, SIZES[0], STEPS)
    table = Table(side=7, moves=7, over=7, gap=5, spread=6)
    for side in SIDES:
        table.row({"side": side, **{name: f"{value:g}" for name, value in lives[side].items()}})
    return _lived(lives)


def _weights(kafka: Kafka, progress: Stderr) -> dict[str, float | int]:
    figures: dict[str, float | int] = {}
    with progress.step("unequal weights"):
        table = Table(group=20, change=6, side=7, ms=8, moves=6, highest=7, lowest=6)
        for size in SIZES[:2]:
            for each in weighed(kafka, size):
                shown = {"highest": f"{each.highest:.3f}", "lowest": f"{each.lowest:.3f}"}
                table.row(asdict(each) | shown | {"ms": f"{each.milliseconds:.2f}"})
                if size == SIZES[0]:
                    what = f"{each.side}_{each.group.split()[1]}_{each.change}_highest"
                    figures[what] = round(each.highest, 3)
    return figures


def _costs(progress: Stderr, runs: int) -> dict[str, float | int]:
    group = scenario(*SIZES[1], "same")
    figures: dict[str, float | int] = {}
    with progress.step("every strategy of ours, a whole group of 1000x10x100"):
        table = Table(strategy=16, best_ms=8)
        for name in STRATEGIES:
            cost = round(ours.seconds(name, group, runs) * 1e3, 1)
            table.row({"strategy": name, "best_ms": cost})
            figures[f"{name.lower()}_ms"] = cost
    return figures


def _lived(lives: Mapping[str, Mapping[str, float]]) -> dict[str, float | int]:
    sticky, uniform = lives["sticky"], lives["uniform"]
    return {
        "churn_sticky_over": sticky["over"],
        "churn_uniform_over": uniform["over"],
        "churn_sticky_spread": round(sticky["spread"], 3),
        "churn_uniform_spread": round(uniform["spread"], 3),
    }


if __name__ == "__main__":
    run(allocators, "python -m bench.allocators")
