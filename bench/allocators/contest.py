"""The contest: each group whole, with one member more, one less, and as it was; then 400 changes.

Each side goes on from its own answer: what it makes of a change shows what it made of the group
before. Called by ``__main__``. Both sides are asked the same, in the same run.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

import numpy as np

from allocators.sticky.catalog import Owners
from allocators.sticky.waterline import Ints
from bench.allocators import ours
from bench.allocators.kafka import Kafka
from bench.allocators.measures import Evenness, evenness, fewest, moved
from bench.allocators.scenario import NOBODY, SEED, Scenario, renumbered, scenario

SIDES = ("sticky", "uniform", "range")

Size = tuple[int, int, int]
"""Members, queues a member, topics."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one side made of one change of one group."""

    group: str
    change: str
    side: str
    milliseconds: float
    moves: int
    over: int
    """Moves over the fewest there could have been from where this side stood."""
    even: Evenness


@dataclass(frozen=True, slots=True)
class Contest:
    """One group, and who is asked."""

    kafka: Kafka
    group: Scenario
    title: str
    runs: int

    def results(self) -> Iterator[Result]:
        """Ask every side about every change."""
        known = ours.first(self.group)
        nobody = np.full(len(known.owners), NOBODY, np.int64)
        middle = len(self.group.members) // 2
        changes = {"+1": self.group.joined(), "-1": self.group.left(middle), "same": self.group}
        for side in SIDES:
            full, result = self._ask(side, "full", (self.group, nobody, self.group), known)
            yield result
            for change, after in changes.items():
                yield self._ask(side, change, (self.group, full, after), known)[1]

    def _ask(
        self, side: str, change: str, step: tuple[Scenario, Ints, Scenario], known: Owners
    ) -> tuple[Ints, Result]:
        before, owners, after = step
        answer, times = ask(self.kafka, side, step, known, self.runs)
        moves = moved(before, owners, after, answer)
        over = moves - fewest(before, owners, after, known)
        even = evenness(after, answer, known)
        return answer, Result(self.title, change, side, median(times) * 1e3, moves, over, even)


def ask(
    kafka: Kafka, side: str, step: tuple[Scenario, Ints, Scenario], known: Owners, runs: int
) -> tuple[Ints, list[float]]:
    """Ask one side about one step.

    Kafka's is warmed up with twice as many calls, at least 20; but no longer than three seconds, so
    with fewer where a call takes more than 0.15 s. Runs end after three seconds, too.
    """
    before, owners, after = step
    if side == "sticky":
        return ours.assign(before, owners, after, known, runs)
    start = renumbered(owners, before, after)
    return kafka.assign(side, after, start, 1 if runs == 1 else max(20, 2 * runs), runs)


def churn(kafka: Kafka, size: Size, steps: int) -> Mapping[str, Mapping[str, float]]:
    """Let every side live through the same random joins and leaves, within a fifth of its size."""
    return {side: _life(kafka, side, size, steps) for side in SIDES}


def _life(kafka: Kafka, side: str, size: Size, steps: int) -> Mapping[str, float]:
    dice = random.Random(SEED)
    group = scenario(*size, "same")
    known = ours.first(group)
    nobody = np.full(len(known.owners), NOBODY, np.int64)
    owners, _ = ask(kafka, side, (group, nobody, group), known, 1)
    moves = over = gap = 0
    spreads: list[float] = []
    for _ in range(steps):
        joins = len(group.members) < size[0] * 0.8 or (
            len(group.members) < size[0] * 1.2 and dice.random() < 0.5  # noqa: PLR2004 - a coin
        )
        after = group.joined() if joins else group.left(dice.randrange(len(group.members)))
        answer, _ = ask(kafka, side, (group, owners, after), known, 1)
        made = moved(group, owners, after, answer)
        moves, over = moves + made, over + made - fewest(group, owners, after, known)
        even = evenness(after, answer, known)
        gap = max(gap, even.gap)
        spreads.append(even.mean_spread)
        group, owners = after, answer
    return {"moves": moves, "over": over, "gap": gap, "spread": sum(spreads) / len(spreads)}
