"""A story of one cluster: a sweep of its brokers and reporters is one line, a verdict another."""

from collections.abc import Callable, Collection, Mapping

from rebalance.brokers.cluster import Cluster
from rebalance.brokers.decisions import BrokerDecision, VerdictIssued
from rebalance.brokers.events import (
    BrokerCommanded,
    BrokerEvent,
    BrokerForgotten,
    ClusterName,
    CommandRef,
    Hosted,
    Reported,
    ReporterId,
    Sight,
)
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.step import step
from rebalance.ids import BrokerName, Incarnation, Millis, Position, TopicName
from rebalance.stamp import Stamp, Ticked

EPOCH = 1_700_000_000_000
"""What the broker's clock shows when the log clock shows 0."""
LIFE = Incarnation("1700000000000-00000000")
FINE = 5.0
"""What a broker takes when all is well."""
FAILS = -1.0
"""In place of a latency: every call fails."""

DEFAULT = VerdictPolicy()
COMMAND = CommandRef("c1", "eject", "ann", "because")
"""Of all commands: which it was is only for the answer."""

View = Mapping[str, float]
"""What one reporter sees: latency by broker."""


def sights(view: View, count: int = 20, address: Callable[[str], str] = str) -> tuple[Sight, ...]:
    """Windows of so many calls."""
    return tuple(
        Sight(BrokerName(name), count, count if ms == FAILS else 0, max(ms, 0.0), address(name))
        for name, ms in view.items()
    )


class ClusterStory:
    """A cluster whose sweeps are one line each."""

    def __init__(
        self, brokers: str = "abcde", reporters: int = 5, policy: VerdictPolicy = DEFAULT
    ) -> None:
        """All brokers are fine, until somebody says otherwise."""
        self.policy = policy
        self.cluster = Cluster(ClusterName("story"))
        self.brokers = brokers
        self.reporters = [f"r{number}" for number in range(reporters)]
        self.now = 0
        self.away = 0
        self.log: list[BrokerEvent] = []
        self.decisions: list[BrokerDecision] = []
        self._sequence = 0

    @property
    def wall(self) -> int:
        """What the broker's clock shows: more than the log's, if no controller was there."""
        return EPOCH + self.now + self.away

    def stamp(self) -> Stamp:
        """Now."""
        appended = Millis(self.wall)
        position = Position(TopicName("latency"), 0, len(self.log))
        return Stamp(Millis(self.now), Millis(self.now), appended, position)

    def hear(self, event: BrokerEvent) -> None:
        """Fold one event."""
        self.log.append(event)
        after = step(self.cluster, [event], self.policy)
        self.cluster = after.cluster
        self.decisions += after.decisions

    def report(self, reporter: str, *seen: Sight, sequence: int | None = None) -> None:
        """One reporter's window."""
        self._sequence += 1
        number = self._sequence if sequence is None else sequence
        self.hear(Reported(self.stamp(), ReporterId(reporter), LIFE, number, seen))

    def pass_time(self, ms: int) -> None:
        """A tick, later."""
        self.now += ms
        self.hear(Ticked(self.stamp()))

    def sweep(
        self,
        slow: View | None = None,
        *,
        times: int = 1,
        lies: Mapping[str, View] | None = None,
        silent: Collection[str] = "",
        astray: Collection[str] = "",
    ) -> None:
        """Sweeps in which everybody sees the same, but for those who lie.

        Of the silent brokers only they say anything; and those astray find all at other addresses.
        """
        seen = dict.fromkeys(self.brokers, FINE) | dict(slow or {})
        view = {name: ms for name, ms in seen.items() if name not in silent}
        for _ in range(times):
            for reporter in self.reporters:
                said = view | dict((lies or {}).get(reporter, {}))
                address = "{}:9".format if reporter in astray else str
                self.report(reporter, *sights(said, address=address))
            self.pass_time(self.policy.sweep_ms)

    def command(self, broker: str, *, available: bool, lasting: int | None = None) -> None:
        """An operator's command."""
        until = None if lasting is None else Millis(self.wall + lasting)
        self.hear(
            BrokerCommanded(self.stamp(), BrokerName(broker), available, until, "because", COMMAND)
        )

    def forget(self, broker: str) -> None:
        """An operator's command to forget."""
        self.hear(BrokerForgotten(self.stamp(), BrokerName(broker), COMMAND))

    def host(
        self,
        topic: str,
        brokers: str,
        address: Callable[[str], str] = lambda _: "",
        lease_ms: Millis | None = None,
    ) -> None:
        """What the host watcher sees."""
        where = {BrokerName(name): address(name) for name in brokers}
        self.hear(Hosted(self.stamp(), TopicName(topic), frozenset(where), where, lease_ms))

    def verdict(self, broker: str) -> VerdictIssued:
        """What readers believe of a broker."""
        return self.cluster.told[BrokerName(broker)]

    def issued(self, broker: str) -> list[VerdictIssued]:
        """What was said of a broker."""
        return [
            it for it in self.decisions if isinstance(it, VerdictIssued) and it.broker == broker
        ]

    def outs(self) -> dict[str, int]:
        """Until when brokers are out by the jury, as it will be unless it says so anew."""
        return {name: it.out.until for name, it in self.cluster.brokers.items() if it.out}

    @property
    def out(self) -> str:
        """The brokers that are out of use by the last word, as of now."""
        now = self.wall
        return "".join(
            name
            for name, told in sorted(self.cluster.told.items())
            if not told.available and (told.until_ms is None or now < told.until_ms)
        )

    @property
    def panic(self) -> bool:
        """Whether readers are told of a panic."""
        return any(told.panic for told in self.cluster.told.values())
