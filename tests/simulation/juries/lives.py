"""Towns, for `make simulate`: what was wrong, and which faults struck.

A failing town is told by its seed and its plan; `Town(plan(seed)).live()` lives it again.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from tests.simulation.juries.plan import Plan, plan
from tests.simulation.juries.town import Town

_REPORTED_EVERY = 100

Lived = tuple[list[str], Counter[str]]
"""What was wrong with a town, told, and which faults struck in it."""


def lived(seed: int) -> Lived:
    """Live through one town."""
    town = Town(plan(seed)).live()
    return [f"{_told(town.plan)}\n! {town.wrong[0]}"] if town.wrong else [], town.struck


def told(seeds: Sequence[int], towns: Iterable[Lived]) -> tuple[int, Counter[str]]:
    """Tell what was wrong; return how many failed, and how often each fault struck."""
    failures, struck, begun = 0, Counter[str](), time.monotonic()
    for done, (wrong, faults) in enumerate(towns, start=1):
        struck += faults
        failures += len(wrong)
        sys.stdout.writelines(f"{each}\n" for each in wrong)
        if done % _REPORTED_EVERY == 0 or done == len(seeds):
            pace = done / max(time.monotonic() - begun, 0.001)
            of = f"{done:,} of {len(seeds):,} towns"
            sys.stderr.write(f"{of}, {failures} failures, {pace:,.1f} towns/s\n")
    return failures, struck


def _told(plan: Plan) -> str:
    quirks = "; ".join(sorted(plan.quirks))
    kinds = ", ".join(kind for _, kind in plan.reporters)
    lines = [f"town {plan.seed}: brokers {plan.brokers}, quorum {plan.quorum}: {kinds}", quirks]
    return "\n".join(lines + [f"  {each}" for each in plan.episodes])
