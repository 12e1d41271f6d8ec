"""`make simulate`: many lives, one after the other.

Progress goes to stderr; a failing life is shrunk, told on stdout and kept under `.cache`. The last
line is one JSON object: seeds, failures, and how often each fault really struck. To every so many
lives of a group there is one town with a jury, which takes as long as they do.
"""

import argparse
import gc
import json
import sys
import time
from collections import Counter
from pathlib import Path

from tests.simulation.juries import lives as juries
from tests.simulation.scenario import scenario
from tests.simulation.shrinking import shrunk
from tests.simulation.transcript import keep
from tests.simulation.world import Outcome, World

KEPT = Path(".cache/simulation")
REPORTED_EVERY_S = 5.0
LIVES_TO_A_TOWN = 20
COLLECTED_EVERY = 100
"""Lives between two collections of garbage: a life is short and its cycles are few."""


def main() -> int:
    """Live through the seeds that were asked for."""
    options = _options()
    faults, failures, begun = Counter[str](), 0, time.monotonic()
    reported = begun
    gc.disable()
    for number in range(options.seeds):
        outcome = World(scenario(options.first + number)).live()
        faults += outcome.faults.counts
        if outcome.violations:
            failures += 1
            _tell(outcome)
        if number % COLLECTED_EVERY == 0:
            gc.collect()
        if time.monotonic() - reported > REPORTED_EVERY_S:
            reported = time.monotonic()
            _report(number + 1, options.seeds, failures, reported - begun)
    _report(options.seeds, options.seeds, failures, time.monotonic() - begun)
    towns = range(options.first, options.first + -(-options.seeds // LIVES_TO_A_TOWN))
    wrong, struck = juries.lived(towns)
    failures, faults = failures + wrong, faults + struck
    result = {
        "seeds": options.seeds,
        "towns": len(towns),
        "failures": failures,
        "faults": dict(sorted(faults.items())),
    }
    sys.stdout.write(f"{json.dumps(result)}\n")
    return 3 if failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=2_000, help="how many lives")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    return parser.parse_args()


def _report(done: int, seeds: int, failures: int, elapsed_s: float) -> None:
    pace = done / max(elapsed_s, 0.001)
    sys.stderr.write(f"{done:,} of {seeds:,} seeds, {failures} failures, {pace:,.0f} seeds/s\n")


def _tell(outcome: Outcome) -> None:
    smallest = shrunk(outcome)
    violations = "\n".join(f"! {each}" for each in smallest.violations)
    sys.stdout.write(f"{smallest.scenario}\n{violations}\nkept as {keep(smallest, KEPT)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
