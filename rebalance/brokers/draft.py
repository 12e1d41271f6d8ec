"""The cluster while a step works on it.

A step must not change the state it was given. So it works on copies of the maps, whose values are
never changed, and makes a new cluster in the end.

Used by every module of the step. Its one rule: a draft never outlives the step that made it.
"""

from dataclasses import replace

from rebalance.brokers.cluster import Broker, Cluster, Reporter, StandingCommand
from rebalance.brokers.decisions import BrokerDecision, VerdictIssued
from rebalance.brokers.events import ReporterId
from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import BrokerName, Millis, TopicName
from trimtab.faults import FaultItem


class Draft:
    """A mutable copy."""

    def __init__(self, before: Cluster, policy: VerdictPolicy) -> None:
        """Copy the maps."""
        self._before = before
        self.policy = policy
        self.name = before.name
        self.now = before.now
        self.appended = self.swept = before.swept
        self.sweep_ends = before.sweep_ends
        self.panic_until = before.panic_until
        self.renewed = before.renewed
        self.reporters: dict[ReporterId, Reporter] = dict(before.reporters)
        self.brokers: dict[BrokerName, Broker] = dict(before.brokers)
        self.commands: dict[BrokerName, StandingCommand] = dict(before.commands)
        self.topics: dict[TopicName, frozenset[BrokerName]] = dict(before.topics)
        self.hosted: int | None = None
        """How much room all of that takes (``hosting``); None: it was not counted yet."""
        self.leases: dict[TopicName, Millis] = dict(before.leases)
        self.items: dict[BrokerName, FaultItem] = dict(before.items)
        self.told: dict[BrokerName, VerdictIssued] = dict(before.told)
        self.decisions: list[BrokerDecision] = []

    @property
    def in_panic(self) -> bool:
        """Whether health is ignored at present."""
        return self.now < self.panic_until

    @property
    def is_disputed(self) -> bool:
        """Whether the jury or an operator wants a broker out, also if a limit spares it."""
        return bool(self.commands) or any(broker.out for broker in self.brokers.values())

    @property
    def sure(self) -> Millis:
        """The broker's clock, as far as the last sweep's end agrees: one stamp may be wrong.

        No other record will do: which of them a jury sees depends on how the log is cut.
        """
        return Millis(min(self.swept + self._since, self.appended))

    @property
    def is_stale(self) -> bool:
        """Whether the log clock has stood for longer than a sweep since the last one ended.

        So it does in a batch that takes long, and while the whole process is frozen.
        """
        return 0 < self.swept < self.appended - self._since - self.policy.sweep_ms

    @property
    def _since(self) -> int:
        """How much of the sweep is over, on the log clock."""
        return 0 if self.sweep_ends is None else self.now - self.sweep_ends + self.policy.sweep_ms

    @property
    def is_late(self) -> bool:
        """Whether the last third of a sweep has begun."""
        third = self.policy.sweep_ms // 3
        return self.sweep_ends is not None and self.now >= self.sweep_ends - third

    def is_blank(self) -> bool:
        """Return whether there is nothing to remember."""
        return not (self.reporters or self.brokers or self.commands or self.topics)

    def published(self, at: Millis) -> Millis:
        """Say a reading of the log clock as the broker's clock has it, which is what readers see.

        The two run apart only where the log has a gap, so what is near is exact.
        """
        return Millis(max(0, self.appended + at - self.now))

    def after(self) -> Cluster:
        """Return the cluster as it is now."""
        assert self.now >= self._before.now, "the log clock never goes back"
        assert self.leases.keys() <= self.topics.keys(), "a lease is a topic's"
        assert self.commands.keys() <= self.brokers.keys(), "a command is about a known broker"
        assert self.items.keys() <= self.brokers.keys(), "an item is of a known broker"
        return replace(
            self._before,
            now=self.now,
            swept=self.swept,
            sweep_ends=self.sweep_ends,
            panic_until=self.panic_until,
            renewed=self.renewed,
            reporters=self.reporters,
            brokers=self.brokers,
            commands=self.commands,
            topics=self.topics,
            leases=self.leases,
            items=self.items,
            told=self.told,
        )
