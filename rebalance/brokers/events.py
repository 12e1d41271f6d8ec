"""What can be heard of a cluster's brokers: the only input of the jury.

Each event is one well-formed record with its stamp, as in ``groups``. Called by ``step``. Reports
of producers are claims, records of operators and the host watcher are facts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, NewType

from rebalance.ids import BrokerName, Incarnation, Millis, TopicName
from rebalance.stamp import Stamp, Ticked

ClusterName = NewType("ClusterName", str)
ReporterId = NewType("ReporterId", str)

SLOWEST_MS = 86_400_000.0
"""A day. A larger figure is an error of measurement: no producer waits so long."""
MOST_CALLS = 1_000_000_000
"""In one window. A larger figure is an error of measurement, and no sum of sound ones comes near
what a verdict can say, 2**53 - 1."""


class Sight(NamedTuple):
    """What one reporter saw of one broker in one window. A tuple, because there are so many."""

    broker: BrokerName
    made: int
    """Calls that ended in the window."""
    errors: int
    latency_ms: float
    """The median of the window."""
    address: str = ""
    """Where the reporter found it; empty when it does not say."""
    slowest_ms: float | None = None
    """The longest that a call of the window took; None: the median is all that is known."""

    @property
    def successes(self) -> int:
        """Calls that came back."""
        return self.made - self.errors

    def is_sound(self) -> bool:
        """Whether the figures can be true; a latency only counts where a call came back (E9)."""
        if not 0 <= self.errors <= self.made <= MOST_CALLS:
            return False
        # No comparison is true of NaN, and an infinity is longer than a day.
        if self.slowest_ms is not None and not self.latency_ms <= self.slowest_ms <= SLOWEST_MS:
            return False
        return 0 < self.latency_ms <= SLOWEST_MS or self.errors == self.made


@dataclass(frozen=True, slots=True)
class Reported:
    """A producer summed up a window, or took a single sample (then without a sequence)."""

    stamp: Stamp
    reporter: ReporterId
    incarnation: Incarnation | None
    sequence: int | None
    sights: tuple[Sight, ...]


@dataclass(frozen=True, slots=True)
class Hosted:
    """The host watcher saw which brokers a topic can be written to; none: it is gone."""

    stamp: Stamp
    topic: TopicName
    brokers: frozenset[BrokerName]
    addresses: Mapping[BrokerName, str] = field(default_factory=dict)
    """Where they are, as far as the watcher says."""
    lease_ms: Millis | None = None
    """If it is not said again for so long, it holds no more."""


class CommandRef(NamedTuple):
    """Which command it was, and of whom: what its answer repeats."""

    id: str
    verb: str
    principal: str
    reason: str


@dataclass(frozen=True, slots=True)
class BrokerCommanded:
    """An operator took a broker out of use, or put it back, and wants it to stay so."""

    stamp: Stamp
    broker: BrokerName
    available: bool
    until_ms: Millis | None
    """When the command lapses, as the broker's clock has it; None: an eject stands until it is
    replaced, a restore is done at once and has no further effect."""
    reason: str
    """What the verdict says."""
    command: CommandRef


@dataclass(frozen=True, slots=True)
class BrokerForgotten:
    """An operator wants a broker's history and all commands about it to be forgotten."""

    stamp: Stamp
    broker: BrokerName
    command: CommandRef


BrokerEvent = Reported | Hosted | BrokerCommanded | BrokerForgotten | Ticked
