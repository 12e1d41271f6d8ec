"""`make simulate`: many lives, on every core.

Progress goes to stderr; a failing life is shrunk, told on stdout and kept under `.cache`. The last
line is one JSON object: seeds, failures, and how often each fault really hit. To every twenty
lives of a group there is one cluster of brokers, if nobody says how many; it takes half as long.
"""

import argparse
import gc
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.simulation.brokers import lives as brokers
from tests.simulation.lives import KINDS
from tests.simulation.shrinking import shrunk
from tests.simulation.transcript import keep
from tests.simulation.world import Outcome, World

KEPT = Path(".cache/simulation")
REPORTED_EVERY_S = 5.0
LIVES_TO_A_CLUSTER = 20
CHUNK = 100
"""Lives that a worker takes at a time, and then collects the garbage: a life is short."""


class Lived(NamedTuple):
    """What became of some seeds."""

    told: list[str]
    """Of each failure, what there is to say."""
    faults: Counter[str]


def main() -> int:
    """Live through the seeds that were asked for."""
    options = _options()
    faults, failures, begun = Counter[str](), 0, time.monotonic()
    reported, done = begun, 0
    end = options.first + options.seeds
    chunks = [range(at, min(at + CHUNK, end)) for at in range(options.first, end, CHUNK)]
    clusters = range(options.first, options.first + options.clusters)
    live = partial(_live, kind=options.kind)
    with ProcessPoolExecutor(options.jobs) as pool:
        for chunk, lived in zip(chunks, pool.map(live, chunks), strict=True):
            done, faults = done + len(chunk), faults + lived.faults
            failures += _tell(lived)
            if time.monotonic() - reported > REPORTED_EVERY_S or done == options.seeds:
                reported = time.monotonic()
                _report(done, options.seeds, failures, reported - begun)
        wrong, hits = brokers.told(clusters, pool.map(brokers.lived, clusters, chunksize=5))
    failures, faults = failures + wrong, faults + hits
    result = {
        "seeds": options.seeds,
        "clusters": len(clusters),
        "failures": failures,
        "faults": dict(sorted(faults.items())),
    }
    sys.stdout.write(f"{json.dumps(result)}\n")
    return 3 if failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=2_000, help="how many lives")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", choices=KINDS, default="any", help="of what kind they are")
    parser.add_argument("--clusters", type=int, help="how many clusters; one for each twenty lives")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    options = parser.parse_args()
    if options.clusters is None:
        options.clusters = -(-options.seeds // LIVES_TO_A_CLUSTER)
    return options


def _live(seeds: range, kind: str) -> Lived:
    """Live through a chunk of seeds, in a worker."""
    gc.disable()
    lived = Lived([], Counter())
    for seed in seeds:
        outcome = World(KINDS[kind](seed)).live()
        lived.faults.update(outcome.faults.counts)
        if outcome.violations:
            lived.told.append("\n".join(_told(outcome)))
    gc.collect()
    return lived


def _told(outcome: Outcome) -> Iterator[str]:
    smallest = shrunk(outcome)
    yield str(smallest.scenario)
    yield from (f"! {each}" for each in smallest.violations)
    yield f"kept as {keep(smallest, KEPT)}"


def _tell(lived: Lived) -> int:
    for told in lived.told:
        sys.stdout.write(f"{told}\n")
    sys.stdout.flush()
    return len(lived.told)


def _report(done: int, seeds: int, failures: int, elapsed_s: float) -> None:
    pace = done / max(elapsed_s, 0.001)
    sys.stderr.write(f"{done:,} of {seeds:,} seeds, {failures} failures, {pace:,.0f} seeds/s\n")


if __name__ == "__main__":
    sys.exit(main())
