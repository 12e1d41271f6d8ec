"""The two tables by which RocketMQ's clients avoid a broker: how slow, and how long for it.

The highest step that a latency reaches says for how long the broker is out of use. A failed call
counts as one of a fixed latency, whatever it took. The tables changed with RocketMQ 5.1.4 (RIP-63),
because ten minutes without a broker cost more than what they avoided; so did the effect of a later
success (`clears`).

Called by the fault table. The figures are RocketMQ's defaults, and all can be set.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Generation = Literal["rocketmq-4", "rocketmq-5"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRules:
    """One generation's table."""

    generation: Generation
    latency_max: tuple[int, ...]
    """The rungs, in milliseconds. RocketMQ's are in ascending order; nothing depends on it but
    that the last one reached counts."""
    not_available_duration: tuple[int, ...]
    """For how long each rung takes the broker out of use, in milliseconds."""
    isolation_latency: int
    """What a failed call counts as."""
    clears: bool
    """Whether a fast call ends an isolation: it did up to 5.1.3, since then only time does."""

    def __post_init__(self) -> None:
        """A rung without a duration would be found out when a broker reaches it."""
        if len(self.latency_max) > len(self.not_available_duration):
            raise ValueError("each rung of latencyMax needs a notAvailableDuration")

    def duration(self, latency: int, *, isolation: bool = False) -> int:
        """Return for how long a call of this latency takes a broker out of use."""
        counted = self.isolation_latency if isolation else latency
        reached = [place for place, rung in enumerate(self.latency_max) if counted >= rung]
        return self.not_available_duration[reached[-1]] if reached else 0

    def with_ladder(
        self, latency_max: Sequence[int], not_available_duration: Sequence[int]
    ) -> "FaultRules":
        """Return these rules with rungs of your own."""
        return replace(
            self,
            latency_max=tuple(latency_max),
            not_available_duration=tuple(not_available_duration),
        )


ROCKETMQ_4 = FaultRules(
    generation="rocketmq-4",
    latency_max=(50, 100, 550, 1_000, 2_000, 3_000, 15_000),
    not_available_duration=(0, 0, 30_000, 60_000, 120_000, 180_000, 600_000),
    isolation_latency=30_000,
    clears=True,
)
"""RocketMQ 4.x to 5.1.3."""

ROCKETMQ_5 = FaultRules(
    generation="rocketmq-5",
    latency_max=(50, 100, 550, 1_800, 3_000, 5_000, 15_000),
    not_available_duration=(0, 0, 2_000, 5_000, 6_000, 10_000, 30_000),
    isolation_latency=10_000,
    clears=False,
)
"""RocketMQ from 5.1.4 on."""

RULES = {rules.generation: rules for rules in (ROCKETMQ_4, ROCKETMQ_5)}
