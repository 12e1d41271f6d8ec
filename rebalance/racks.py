"""Racks: where the replicas of a topic's queues stand, so that a member can read nearby.

Kafka says it of each partition. Neighbours mostly stand alike, so they are told together. What is
said of no queue is that nobody knows.

Written by ``groups.routing``, and asked by strategies that heed it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class RackRun(NamedTuple):
    """Queues without a broker's name, numbered upwards from `first`, whose replicas stand alike."""

    racks: frozenset[str]
    first: int
    length: int


def by_queue(runs: Iterable[RackRun]) -> dict[int, frozenset[str]]:
    """Return the racks of each queue that something is said of."""
    return {
        number: run.racks for run in runs for number in range(run.first, run.first + run.length)
    }


def runs_of(racks: Iterable[frozenset[str]]) -> Iterator[RackRun]:
    """Tell the racks of queues 0, 1, 2 … together where they are alike."""
    first, length, last = 0, 0, frozenset[str]()
    for number, those in enumerate(racks):
        if length and those != last:
            yield RackRun(last, first, length)
            first, length = number, 0
        last, length = those, length + 1
    if length:
        yield RackRun(last, first, length)
