"""Worlds of brokers, for `make simulate`: what was wrong, and which faults hit.

A failing world is told by its seed and its plan; `BrokerWorld(plan(seed)).live()` lives it again.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from tests.simulation.brokers.plan import Plan, plan
from tests.simulation.brokers.world import BrokerWorld

_REPORTED_EVERY = 100

Lived = tuple[list[str], Counter[str]]
"""What was wrong with a world, told, and which faults hit in it."""


def lived(seed: int) -> Lived:
    """Live through one world."""
    world = BrokerWorld(plan(seed)).live()
    return [f"{_told(world.plan)}\n! {world.wrong[0]}"] if world.wrong else [], world.hits


def told(seeds: Sequence[int], worlds: Iterable[Lived]) -> tuple[int, Counter[str]]:
    """Tell what was wrong; return how many failed, and how often each fault hit."""
    failures, hits, begun = 0, Counter[str](), time.monotonic()
    for done, (wrong, faults) in enumerate(worlds, start=1):
        hits += faults
        failures += len(wrong)
        sys.stdout.writelines(f"{each}\n" for each in wrong)
        if done % _REPORTED_EVERY == 0 or done == len(seeds):
            pace = done / max(time.monotonic() - begun, 0.001)
            of = f"{done:,} of {len(seeds):,} worlds"
            sys.stderr.write(f"{of}, {failures} failures, {pace:,.1f} worlds/s\n")
    return failures, hits


def _told(plan: Plan) -> str:
    quirks = "; ".join(sorted(plan.quirks))
    kinds = ", ".join(kind for _, kind in plan.reporters)
    lines = [f"world {plan.seed}: brokers {plan.brokers}, quorum {plan.quorum}: {kinds}", quirks]
    return "\n".join(lines + [f"  {each}" for each in plan.episodes])
