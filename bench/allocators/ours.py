"""Our side: STICKY, asked as the brain asks it, with its last answer as the present owners.

Also what a whole group costs each of our strategies. Times are the processor's: what others do
meanwhile does not count. Called by ``contest``, ``weights`` and ``__main__``.
"""

import gc
import time

import numpy as np

from allocators import allocator
from allocators.sticky.catalog import Owners
from allocators.sticky.strategy import sticky
from allocators.sticky.waterline import Ints
from bench.allocators.measures import remembered
from bench.allocators.scenario import NOBODY, Scenario
from rebalance.allocation import AllocationRequest, Allocator


def first(scenario: Scenario) -> Owners:
    """Assign a group that has nothing yet."""
    plan = sticky(AllocationRequest(scenario.candidates, scenario.queues))
    assert isinstance(plan.owners, Owners)
    return plan.owners


def seconds(name: str, scenario: Scenario, runs: int) -> float:
    """Return the fastest whole assignment by the strategy called ``name``."""
    strategy = allocator(name)
    request = AllocationRequest(scenario.candidates, scenario.queues)
    times = []
    for _ in range(runs):
        started = time.process_time()
        strategy(request)
        times.append(time.process_time() - started)
    return min(times)


def assign(
    before: Scenario, owners: Ints, after: Scenario, known: Owners, runs: int
) -> tuple[Ints, list[float]]:
    """Answer ``runs`` times, after one to warm up; return the owners, and seconds of each run.

    A group without owners is asked from its names alone, as after a start. What is not ours to
    measure is set aside before: the bench's own objects are many, and the garbage collector would
    trial them all.
    """
    fresh = bool((owners == NOBODY).all())
    current = {} if fresh else remembered(before, owners, known)
    return timed(sticky, AllocationRequest(after.candidates, after.queues, current), runs)


def timed(strategy: Allocator, request: AllocationRequest, runs: int) -> tuple[Ints, list[float]]:
    """Answer as often, and return the same."""
    times = []
    result = np.empty(0, np.int64)
    for _ in range(runs + 1):
        gc.collect()
        gc.freeze()
        started = time.process_time()
        plan = strategy(request)
        times.append(time.process_time() - started)
        assert isinstance(plan.owners, Owners)
        result = plan.owners.owners
    return result, times[1:]
