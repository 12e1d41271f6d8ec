"""The contest: slices of both sides in turn, timed by two clocks.

A round is a slice of each, one right after the other, the first one changing from round to round;
what counts is the ratio within a round, and its median over all. Processor time is this process's,
librdkafka's threads and ours included; the broker's is not in it. Wall time ends when the last
message is settled.

Called by ``__main__``. Both sides of a round do the same.
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any, Final, Protocol

Heard = Callable[[Any, Any], None]
"""A callback as confluent-kafka calls it: error, message."""

PACE_S: Final = 0.001
"""The pause between two messages of a steady producer: 1,000 a second at most."""


class Side(Protocol):
    """One way to send."""

    def send(self, count: int, heard: Heard | None, pause_s: float) -> None:
        """Send so many messages, with a pause after each, and wait until all are settled."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is sent."""

    name: str
    callback: bool
    pause_s: float
    messages: int
    """In a slice."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds a message."""

    processor: float
    wall: float


@dataclass(frozen=True, slots=True)
class Contest:
    """What came out, round by round."""

    bare: Sequence[Cost]
    ours: Sequence[Cost]

    def ratios(self, clock: str) -> list[float]:
        """Return ours over bare, round by round."""
        return [
            getattr(ours, clock) / getattr(bare, clock)
            for bare, ours in zip(self.bare, self.ours, strict=True)
        ]

    def ratio(self, clock: str) -> float:
        """Return the median ratio."""
        return median(self.ratios(clock))

    def middle_half(self, clock: str) -> tuple[float, float]:
        """Return between which ratios half of the rounds lie."""
        low, _, high = quantiles(self.ratios(clock), n=4)
        return low, high


def contest(pair: tuple[Side, Side], scenario: Scenario, rounds: int) -> Contest:
    """Let both sides send in turn; the first round warms up."""
    costs: tuple[list[Cost], list[Cost]] = [], []
    for number in range(rounds + 1):
        order = (0, 1) if number % 2 else (1, 0)
        for place in order:
            cost = _slice(pair[place], scenario)
            if number:
                costs[place].append(cost)
    return Contest(*costs)


def _slice(side: Side, scenario: Scenario) -> Cost:
    heard = _Heard()
    gc.collect()
    wall, processor = time.perf_counter(), time.process_time()
    side.send(scenario.messages, heard.one if scenario.callback else None, scenario.pause_s)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    assert not scenario.callback or heard.count == scenario.messages
    each = 1e6 / scenario.messages
    return Cost(processor * each, wall * each)


class _Heard:
    """What the least of callbacks does: count what was written."""

    def __init__(self) -> None:
        self.count = 0

    def one(self, error: object, _message: object) -> None:
        """Hear of one."""
        if error is None:
            self.count += 1
