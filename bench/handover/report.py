"""The report: a line for each case and side; pure.

Sides of one case stand below each other, as that is what is compared. RocketMQ has a bench of its
own (`bench.rocketmq`): it is measured on other servers, by other callbacks. Called by the command.
Its one rule: what never came to rest says so, and is worse than any time.
"""

from collections.abc import Mapping, Sequence
from math import inf
from statistics import median, quantiles

from bench.handover.cases import Case
from bench.handover.measures import Cost
from bench.handover.sides import Side
from console.output import columns

Found = Mapping[tuple[Side, int, Case], Sequence[Cost]]


def table(found: Found) -> str:
    """All measures, by members and cases, so that the sides stand below each other."""
    sizes = sorted({members for _, members, _ in found})
    rows = [
        _row(side, members, case, found[side, members, case])
        for members in sizes
        for case in Case
        for side in Side
        if (side, members, case) in found
    ]
    return columns(rows, *rows[0])


def headline(found: Found) -> dict[str, float | int]:
    """The figures by name."""
    figures: dict[str, float | int] = {}
    for (side, members, case), costs in found.items():
        title = f"{side} {members} {case}".replace("-", "_").replace(" ", "_")
        figures |= {f"{title}_{name}": it for name, it in _figures(costs).items()}
    return figures


def _figures(costs: Sequence[Cost]) -> dict[str, float | int]:
    stable = [it.stable_s for it in costs]
    times = {"p50": median(stable), "max": max(stable)}
    waits = [wait for it in costs for wait in it.firsts_ms]
    figures: dict[str, float | int] = {
        "runs": len(costs),
        "never_stable": stable.count(inf),
        "unowned_s": round(median(it.unowned_s for it in costs), 3),
        "doubled_s": round(max(it.doubled_s for it in costs), 3),
        "changes": median(it.changes for it in costs),
        "elsewhere": median(it.elsewhere for it in costs),
        "firsts": len(waits),
        "to_come": sum(it.changes for it in costs),
    }
    figures |= {f"stable_{name}_s": round(it, 3) for name, it in times.items() if it < inf}
    if waits:
        cuts = quantiles(waits, n=100, method="inclusive") if len(waits) > 1 else 99 * waits
        ways = {"p50": median(waits), "p95": cuts[94], "p99": cuts[98]}
        figures |= {f"first_{name}_ms": round(it, 1) for name, it in ways.items()}
    return figures


def _row(side: Side, members: int, case: Case, costs: Sequence[Cost]) -> dict[str, object]:
    figures = _figures(costs)
    stable = f"{figures.get('stable_p50_s', 'never')}"
    if len(costs) > 1:
        stable += f" .. {figures.get('stable_max_s', 'never')}"
    waits = f"{figures.get('first_p50_ms', '')} .. {figures.get('first_p95_ms', '')}"
    return {
        "members": members,
        "case": case,
        "side": side,
        "runs": len(costs),
        "stable s": stable,
        "unowned q-s": figures["unowned_s"],
        "doubled q-s": figures["doubled_s"],
        "changes": figures["changes"],
        "elsewhere": figures["elsewhere"],
        "first ms, p50 .. p95": waits.strip(" ."),
        "firsts": f"{figures['firsts']} of {figures['to_come']}",
    }
