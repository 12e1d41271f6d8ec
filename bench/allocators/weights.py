"""Loads by weight: what STICKY makes of weights, and what Kafka, which knows none, leaves.

Two groups of a size: members of weight 1, 2 and 3 in turn; and equal members whose queues weigh
from 1 to 100, as rates or lags do. Both sides assign them whole, then with one member more. What
counts is a member's load by its weight, measured against everybody's fair part of the whole.
Called by ``__main__``.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from allocators import allocator
from allocators.sticky.catalog import Owners
from allocators.sticky.waterline import Ints
from bench.allocators import ours
from bench.allocators.contest import Size
from bench.allocators.kafka import Kafka
from bench.allocators.measures import moved, remembered
from bench.allocators.scenario import NOBODY, SEED, Scenario, renumbered, scenario
from rebalance.allocation import AllocationRequest, Allocator

RUNS = 5


@dataclass(frozen=True, slots=True)
class Lifted:
    """How even one side's loads are by weight."""

    group: str
    change: str
    side: str
    milliseconds: float
    moves: int
    highest: float
    """The largest load by weight, over the fair one."""
    lowest: float


def weighed(kafka: Kafka, size: Size) -> Iterator[Lifted]:
    """Ask both sides about members of unequal weight, then about queues of unequal weight."""
    title = "x".join(map(str, size))
    plain = scenario(*size, "same")
    heavy = {
        name: one._replace(weight=1 + place % 3)
        for place, (name, one) in enumerate(plain.candidates.items())
    }
    group = replace(plain, candidates=heavy)
    ones = np.ones(sum(map(len, plain.queues.values())), np.int64)
    yield from _sides(kafka, f"{title} members", group, ones, allocator("STICKY"))
    dice = random.Random(SEED)
    weights = np.array([dice.randint(1, 100) for _ in ones])
    shelves = iter(weights.tolist())
    told = {
        topic: [[queue.broker, queue.id, next(shelves)] for queue in shelf]
        for topic, shelf in plain.queues.items()
    }
    balanced = allocator("STICKY", {"queue_weights": told})
    yield from _sides(kafka, f"{title} queues", plain, weights, balanced)


def _sides(
    kafka: Kafka, title: str, group: Scenario, weights: Ints, sticky: Allocator
) -> Iterator[Lifted]:
    known = ours.first(group)
    nobody = np.full(len(weights), NOBODY, np.int64)
    for side in ("sticky", "uniform"):
        owners = nobody
        for change, after in (("full", group), ("+1", group.joined())):
            if side == "sticky":
                answer, times = _ours(sticky, group, owners, after, known)
            else:
                start = renumbered(owners, group, after)
                answer, times = kafka.assign(side, after, start, 20, RUNS)
            people = np.array([one.weight for one in after.candidates.values()])
            loads = np.bincount(answer, weights, len(people))
            lifts = loads / people / (weights.sum() / people.sum())
            moves = moved(group, owners, after, answer)
            figures = (median(times) * 1e3, moves, float(lifts.max()), float(lifts.min()))
            yield Lifted(title, change, side, *figures)
            owners = answer


def _ours(
    sticky: Allocator, before: Scenario, owners: Ints, after: Scenario, known: Owners
) -> tuple[Ints, list[float]]:
    current = {} if (owners == NOBODY).all() else remembered(before, owners, known)
    request = AllocationRequest(after.candidates, after.queues, current)
    return ours.timed(sticky, request, RUNS)
