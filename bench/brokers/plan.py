"""The plan: what happens to the bad broker and when, and who sends meanwhile.

Made by the command, followed by ``run``. Times count from when producers begin, and all of them
live through the same ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

BROKERS: Final = 3
BAD: Final = "3"
"""The broker that things happen to: its id, as it is reported."""
TOPIC: Final = "messages"
PARTITIONS: Final = 12


class Kind(StrEnum):
    """Who sends, and by what it picks a broker."""

    PLAIN = "plain confluent-kafka"
    LOCAL = "own RocketMQ-5 table"
    CENTRAL = "with the verdict"


class Fault(StrEnum):
    """What the bad broker is like."""

    NONE = "well"
    SLOW = "slow"
    HUNG = "hung"


class Phase(NamedTuple):
    """A stretch of time."""

    fault: Fault
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Plan:
    """How long, how many, how fast."""

    sweep_s: float
    """Of the jury."""
    ejection_s: float
    """Its first sentence; the second one is served for as long before it is tested."""
    warm_s: float
    slow_s: float
    hung_s: float
    well_s: float
    """After each of the two."""
    producers: int = 8
    """Of each kind."""
    rate: float = 50
    """Messages a second of each producer that follows verdicts. A tester's one a second is 2 % of
    that, and there are three: 0.75 % of what eight producers send."""
    others_rate: float = 15
    """Of the other producers, to spare two cores: their share does not depend on it. That of those
    with verdicts would: testers send one a second at any rate."""
    newcomers: int = 3
    """Of each kind, that join late in each fault, and send ``newcomers_send`` messages."""
    newcomers_send: int = 30
    delay_s: float = 0.6
    """What a slow broker adds to each answer: RocketMQ's 5.x table counts from 0.55 s."""
    deadline_s: float = 9
    """Of a message; three tries of 2 s each, and a second's grace for each."""

    def phases(self) -> Iterator[Phase]:
        """Say what happens when."""
        at = 0.0
        for fault, length in (
            (Fault.NONE, self.warm_s),
            (Fault.SLOW, self.slow_s),
            (Fault.NONE, self.well_s),
            (Fault.HUNG, self.hung_s),
            (Fault.NONE, self.well_s),
        ):
            yield Phase(fault, at, at + length)
            at += length


FULL: Final = Plan(sweep_s=10, ejection_s=30, warm_s=20, slow_s=50, hung_s=75, well_s=35)
"""The jury as it is by default; four minutes."""

QUICK: Final = Plan(sweep_s=3, ejection_s=12, warm_s=10, slow_s=20, hung_s=30, well_s=12)
"""A minute and a half: to see whether it works. A test of a broker that hangs takes up to three
seconds, so a sentence has to be several times as long."""
