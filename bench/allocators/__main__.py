"""`make bench NAME=allocators`: STICKY beside Kafka's uniform and range assignors, in one run."""

from collections.abc import Mapping
from itertools import product
from typing import Annotated

import typer

from bench.allocators import ours
from bench.allocators.contest import SIDES, Contest, Result, Size, churn
from bench.allocators.kafka import Kafka
from bench.allocators.scenario import scenario
from bench.command import conclude, run
from console.output import columns
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
        for size, subscriptions in product(SIZES, SUBSCRIPTIONS):
            title = f"{size[0]}x{size[1]}x{size[2]} {subscriptions}"
            if only not in title:
                continue
            with progress.step(title):
                group = scenario(*size, subscriptions)
                results += Contest(kafka, group, title, runs).results()
        with progress.step(f"{STEPS} random joins and leaves, 100x10x10"):
            lives = churn(kafka, SIZES[0], STEPS)
    with progress.step("every strategy of ours, 1000x10x100"):
        group = scenario(*SIZES[1], "same")
        costs = {name: ours.seconds(name, group, runs) * 1e3 for name in STRATEGIES}
    cost_rows = [{"strategy": name, "best ms": f"{cost:.1f}"} for name, cost in costs.items()]
    rows = [_row(result) for result in results]
    lived = [{"side": side, **{k: f"{v:g}" for k, v in lives[side].items()}} for side in SIDES]
    tables = [columns(rows, *rows[0]), columns(lived, *lived[0])]
    tables.append(columns(cost_rows, *cost_rows[0]))
    conclude("\n\n".join(tables), _headline(results) | _lived(lives))


def _row(result: Result) -> dict[str, object]:
    return {
        "group": result.group,
        "change": result.change,
        "side": result.side,
        "p50 ms": f"{result.milliseconds:.2f}",
        "moves": result.moves,
        "over": result.over,
        "gap": result.even.gap,
        "spread": result.even.spread,
        "mean spread": f"{result.even.mean_spread:.2f}",
    }


def _headline(results: list[Result]) -> dict[str, float | int]:
    """The worst of each side, and the times of the largest group."""
    figures: dict[str, float | int] = {}
    for side in SIDES:
        mine = [result for result in results if result.side == side]
        plain = [each for each in mine if each.change == "full" and each.group.endswith("same")]
        figures[f"{side}_moves_over"] = sum(max(each.over, 0) for each in mine)
        figures[f"{side}_gap_max"] = max(each.even.gap for each in mine)
        figures[f"{side}_spread_full_same_max"] = max(each.even.spread for each in plain)
    largest = results[-1].group.split()[0]
    for each in results:
        if each.group.startswith(largest) and each.side != "range":
            where = each.group.split()[1]
            figures[f"{each.side}_{where}_{each.change}_ms"] = round(each.milliseconds, 2)
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
