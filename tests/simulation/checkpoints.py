"""Checkpoints: what is left of a controller that died, copies of it, and what it is told then.

A copy holds the state and the places that a batch began with. One that was taken in the middle of a
batch holds that batch as well, and a controller that starts from it repeats it first. At each such
start the controller is told what is published, as by the reminder (``streaming``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Final, NamedTuple

from rebalance.clock import LogClock
from rebalance.groups.model.overview import GroupSummarised
from sinks.contract import Outlet
from sinks.groups import summarised
from streaming.cell.gate import Gate
from streaming.cell.packed import Packed
from streaming.startup.published import PublishedState
from streaming.wire.rows import Row
from tests.simulation.rules import GROUP
from tests.simulation.scenario import TICK_MS, Scenario
from trimtab.protocol import Assignment, MemberKey, Record


class Copying(StrEnum):
    """When a copy is to be taken."""

    IN_A_BATCH = "in a batch"
    AFTER_A_BATCH = "after a batch"


_OUTLET: Final = Outlet("", partitions=1)
GRACE_MS: Final = 2 * TICK_MS
"""What whoever is at work has to read that another one starts (``streaming.startup.takeover``)."""


class Checkpoint(NamedTuple):
    """A copy."""

    packed: Packed
    clock: LogClock
    read: Mapping[str, int]
    planned: Sequence[Row] = ()
    """A batch that was not committed."""
    gate: Gate = Gate()


class Challenger(NamedTuple):
    """A controller that has said that it starts."""

    begins: Callable[[], Checkpoint | None]
    """With what."""
    at: int
    """When."""


def reminders(
    start: int,
    orders: Mapping[str, Iterable[Assignment | None]],
    summary: GroupSummarised,
    scenario: Scenario,
) -> Iterator[Record]:
    """Return what a starting driver appends to the log, as far as Kafka does not lose it."""
    board = PublishedState(f"{start:013}-0b5e55ed")
    for name, records in orders.items():
        for record in records:
            board.keep_assignment(MemberKey(GROUP, name), record)
    published = summarised(summary, _OUTLET)
    board.summary(published.key, published.value)
    told = [found.record for found in board.found()]
    if scenario.half_told and len(told) > 1:  # of nothing at all nobody can tell that it is missing
        del told[Random(scenario.seed + start).randrange(len(told))]
    yield from told
