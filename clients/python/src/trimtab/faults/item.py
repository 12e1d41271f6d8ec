"""What is remembered of one broker: how slow it was, and since when it may be used again.

RocketMQ's `FaultItem`. There is no "healthy" and no "broken" in it, only a time: before
`start_timestamp` the broker is avoided, from then on it is as good as any. Beside that a flag says
whether the broker could be reached at all, which only the last pass of a selection asks.

Called by the fault table, and by the controller for a cluster that is judged by these rules. An
item is a value; an update makes a new one.
"""

from dataclasses import dataclass, replace

from trimtab.faults.java import wrap_long
from trimtab.faults.rules import FaultRules, Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultItem:
    """One broker's entry. All times are milliseconds of the caller's clock, as `now`."""

    broker: str
    current_latency: int = 0
    start_timestamp: int = 0
    """From when on the broker is available again."""
    check_stamp: int = 0
    """From when on the detector probes it again (5.x)."""
    reachable: bool = False
    """Whether it answered when last heard of (5.x); an update or a probe says so."""

    def updated(
        self, latency: int, now: int, rules: FaultRules, *, isolation: bool, reachable: bool
    ) -> "FaultItem":
        """Return the item after a call."""
        duration = rules.duration(latency, isolation=isolation)
        until = wrap_long(now + duration)
        if not rules.clears and not (duration > 0 and until > self.start_timestamp):
            until = self.start_timestamp  # an isolation is never ended early
        return replace(self, current_latency=latency, start_timestamp=until, reachable=reachable)

    def is_available(self, now: int, generation: Generation = "rocketmq-5") -> bool:
        """Return whether the broker may be used again."""
        if generation == "rocketmq-4":
            return wrap_long(now - self.start_timestamp) >= 0
        return now >= self.start_timestamp

    def order(self, now: int, generation: Generation) -> tuple[bool, int, int]:
        """Return a sort key: available first, then the faster, then the earlier available."""
        out = not self.is_available(now, generation)
        return out, self.current_latency, self.start_timestamp


def compare(left: FaultItem, right: FaultItem, now: int, generation: Generation) -> int:
    """Return what `left.compareTo(right)` returns in Java: -1, 0 or 1."""
    mine, other = left.order(now, generation), right.order(now, generation)
    return (mine > other) - (mine < other)
