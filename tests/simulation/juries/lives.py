"""Towns, one after the other, for `make simulate`: what was wrong, and which faults struck.

A failing town is told by its seed and its plan; `Town(plan(seed)).live()` lives it again.
"""

import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.simulation.juries.plan import Plan, plan
from tests.simulation.juries.town import Town


def lived(seeds: Sequence[int]) -> tuple[int, Counter[str]]:
    """Live through seeds; return how many failed, and how often each fault struck."""
    failures, struck, begun = 0, Counter[str](), time.monotonic()
    for seed in seeds:
        town = Town(plan(seed)).live()
        struck += town.struck
        if town.wrong:
            failures += 1
            sys.stdout.write(f"{_told(town.plan)}\n! {town.wrong[0]}\n")
    pace = len(seeds) / max(time.monotonic() - begun, 0.001)
    sys.stderr.write(f"{len(seeds):,} towns, {failures} failures, {pace:,.1f} towns/s\n")
    return failures, struck


def _told(plan: Plan) -> str:
    quirks = "; ".join(sorted(plan.quirks))
    kinds = ", ".join(kind for _, kind in plan.reporters)
    lines = [f"town {plan.seed}: brokers {plan.brokers}, quorum {plan.quorum}: {kinds}", quirks]
    return "\n".join(lines + [f"  {each}" for each in plan.episodes])
