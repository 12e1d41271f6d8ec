"""The host plan: which topics' brokers the jury does not know correctly.

It is for the jury what ``route_plan`` is for groups. It keeps what was said of each topic, so that
only news is said. A topic counts as gone when it is missing twice, because a broker that has just
come back may not know all topics. The jury does not answer: what Kafka took counts as known, and
what it did not take is said again. Every three hours all is said again: so the jury forgets a topic
that was deleted while no watcher ran, and who looks at ``latency`` finds all there. All is said
again when the query begins, too, because the jury of a new checkpoint knows nothing.

Kept by ``hosts``, which talks to Kafka. In doubt a topic keeps its brokers: too small a set of
brokers is soon corrected, too large a set may cost a topic its last one.
"""

from collections.abc import Collection, Mapping
from typing import Final

from trimtab.protocol import Hosts, limits

_INTERNAL: Final = "__"
"""What the names of Kafka's own topics begin with. Only brokers write to those."""

RENEWAL_S: Final = 10_800.0
LEASE_MS: Final = 8 * 86_400_000
"""How often all is said again, twice while ``latency`` is kept; and for how long it holds: longer
than heartbeats are kept, so that no backlog that is read late, before the first word of today,
makes the jury forget."""


class HostPlan:
    """What was said, and what has to be.

    Args:
        prefix: What our own topics begin with: their records have keys, so no choice of broker.
        topics_max: As many topics as the jury remembers.
    """

    def __init__(self, prefix: str, topics_max: int) -> None:
        self._passed_over = (_INTERNAL, prefix)
        self._topics_max = topics_max
        self._said: dict[str, Hosts | None] = {}
        """The last word on each topic; None: it was lost on the way, or is old."""
        self._renewed: float | None = None
        self._missed: set[str] = set()
        self.beyond = 0
        """Topics of the last look that the jury has no room for."""

    @property
    def known(self) -> Collection[str]:
        """The topics that the jury knows."""
        return self._said.keys()

    def doubt(self) -> None:
        """Note that the jury may know nothing: say everything again."""
        self._said = dict.fromkeys(self._said)

    def news(self, topics: Mapping[str, Mapping[str, str]], at: float) -> list[Hosts]:
        """Return what has to be said, and note it as said.

        Args:
            topics: All that exist; of each, the brokers that it can be written to, and where they
                are. Without any it is as before: its partitions have no leader for the moment, or
                we have no right to see them.
            at: A reading of a clock that never goes back, in seconds.
        """
        if self._renewed is None or at - self._renewed >= RENEWAL_S:
            self.doubt()
            self._renewed = at
        missing = self._said.keys() - topics.keys()
        gone, self._missed = missing & self._missed, missing
        now = [Hosts(topic=topic, brokers=()) for topic in sorted(gone)]
        now += [_hosts(topic, brokers) for topic, brokers in sorted(topics.items()) if brokers]
        self.beyond = 0
        return [hosts for hosts in now if self._is_news(hosts)]

    def _is_news(self, hosts: Hosts) -> bool:
        if hosts.topic.startswith(self._passed_over):
            return False
        if hosts.topic not in self._said and len(self._said) >= self._topics_max:
            self.beyond += 1
            return False
        before, self._said[hosts.topic] = self._said.get(hosts.topic), hosts
        return before != hosts

    def taken(self, hosts: Hosts) -> None:
        """Note that Kafka has it: of what is gone there is nothing left to say."""
        if not hosts.brokers:
            self._said.pop(hosts.topic, None)

    def lost(self, hosts: Hosts) -> None:
        """Note that Kafka did not take it."""
        self._said[hosts.topic] = None


def _hosts(topic: str, brokers: Mapping[str, str]) -> Hosts:
    """If a topic has more brokers than a record can name, name a few: that is enough to be safe."""
    names = sorted(brokers)[: limits.BROKERS_PER_REPORT]
    return Hosts(
        topic=topic,
        brokers=tuple(names),
        addresses=tuple(brokers[name] for name in names),
        lease_ms=LEASE_MS,
    )
