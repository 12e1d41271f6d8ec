"""The plan of a run: how many rounds, how many trials in each, who comes first.

The two pipelines take turns, and whoever was first in a round is second in the next one (A B, B A,
A B, ...), so that a machine that slows down over the minutes slows both alike.

Made by the command, followed by ``race``. Both pipelines do exactly the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple


class Side(StrEnum):
    """Whose turn it is."""

    FLOOR = "floor"
    TRIMTAB = "trimtab"


class Scenario(StrEnum):
    """What goes on while answers are waited for."""

    IDLE = "idle"
    """Nothing: one record at a time, to a controller that rests."""
    STEADY = "steady"
    """Routine beats, at a steady rate."""


class About(StrEnum):
    """What both sides are asked about."""

    GROUPS = "groups"
    """Hand-overs."""
    BROKERS = "brokers"
    """Verdicts."""


class Turn(NamedTuple):
    """One pipeline's turn in one round."""

    round: int
    side: Side


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure."""

    rounds: int
    trials: int
    """How many are measured in each turn of each scenario. A trial is three samples."""
    warm_up: int
    """Trials before the first round: Java compiles what has run often enough."""

    def turns(self) -> Iterator[Turn]:
        """Who does something when."""
        sides = tuple(Side)
        for number in range(self.rounds):
            for side in sides if number % 2 == 0 else reversed(sides):
                yield Turn(number, side)


FULL: Final = Plan(rounds=4, trials=9, warm_up=20)
"""108 samples of each side in each scenario, in under four minutes."""

QUICK: Final = Plan(rounds=2, trials=4, warm_up=8)
"""24 samples, in little more than a minute: to see whether it works, not to decide anything."""
