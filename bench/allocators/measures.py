"""What is counted of an assignment: moves, even totals, even topics.

Moves are queues whose owner before is not their owner after. The fewest are counted by STICKY from
the same start, which its properties compare with an oracle that tries everything.
"""

from dataclasses import dataclass

import numpy as np

from allocators.sticky.catalog import Group, Owners, numbered
from allocators.sticky.strategy import sticky
from allocators.sticky.waterline import Ints
from bench.allocators.scenario import NOBODY, Scenario, renumbered
from rebalance.allocation import AllocationRequest


@dataclass(frozen=True, slots=True)
class Evenness:
    """How even an assignment is."""

    gap: int
    """The largest load less the smallest."""
    spread: int
    """The same within a topic, among its subscribers, for the worst topic."""
    mean_spread: float


def remembered(scenario: Scenario, owners: Ints, known: Owners) -> Owners:
    """Return owners as our side remembers its last answer; ``known`` knows the queues."""
    return Owners(_group(scenario, known), owners)


def moved(before: Scenario, owners: Ints, after: Scenario, result: Ints) -> int:
    """Count the queues that had an owner and have another one, or none, now."""
    start = renumbered(owners, before, after)
    return int(np.count_nonzero((owners != NOBODY) & (start != result)))


def fewest(before: Scenario, owners: Ints, after: Scenario, known: Owners) -> int:
    """Count the fewest moves to fair loads."""
    start = remembered(before, owners, known)
    plan = sticky(AllocationRequest(after.candidates, after.queues, start))
    assert isinstance(plan.owners, Owners)
    return moved(before, owners, after, plan.owners.owners)


def evenness(scenario: Scenario, owners: Ints, known: Owners) -> Evenness:
    """Measure an assignment in which everything has an owner."""
    group = _group(scenario, known)
    count = len(scenario.members)
    loads = np.bincount(owners, minlength=count)
    spreads = []
    for topic, queues in enumerate(np.split(owners, group.catalog.starts[1:-1])):
        heaps = np.bincount(queues, minlength=count)
        subscribers = heaps[group.people.rows[:, topic][group.people.subscription]]
        spreads.append(int(subscribers.max() - subscribers.min()))
    return Evenness(int(loads.max() - loads.min()), max(spreads), float(np.mean(spreads)))


def _group(scenario: Scenario, known: Owners) -> Group:
    return numbered(AllocationRequest(scenario.candidates, scenario.queues, known))
