"""The status: what a controller says of itself on the topic `controllers`.

It is put together from what is counted anyway. Whoever can read Kafka sees by it which controllers
there are, and whether they come along, without a port that is open.

Asked by ``StatusWriter``.
"""

from dataclasses import dataclass
from typing import NamedTuple

from streaming.metrics.account import Account
from streaming.metrics.catalogue import Metrics
from streaming.metrics.group_gauges import GroupGauges
from streaming.process.horizon import Horizon
from trimtab.protocol import BatchTimes, Controller, GroupTotals
from trimtab.protocol.controllers import Role


class About(NamedTuple):
    """What is the same for the life of the process."""

    name: str
    version: str
    partitions: int
    endpoint: str | None


@dataclass(frozen=True, slots=True)
class Status:
    """One controller's."""

    about: About
    metrics: Metrics
    account: Account
    gauges: GroupGauges
    horizon: Horizon

    def record(self, role: Role = "active") -> Controller:
        """Say how it is now; batches count since the last call."""
        query, brain = self.metrics.query, self.metrics.brain
        clocks, recent = self.horizon.clocks(), self.account.recent()
        totals = self.gauges.totals()
        with self.metrics.lock:
            return Controller(
                controller=self.about.name,
                role=role,
                version=self.about.version,
                start=self.horizon.start or None,
                batch=int(query.batch.value()) if query.batches.total() else None,
                times=_times(recent),
                lag={topic: int(left) for (topic,), left in query.left.values().items()},
                lag_ms=self.horizon.lag_ms(),
                clocks=tuple(clocks.get(it) for it in range(self.about.partitions)),
                dead_letters=int(query.letters.total()),
                rebalances=int(brain.rebalances.total()),
                moves=int(brain.moves.total()),
                totals=GroupTotals(**totals._asdict()),
                page=self.about.endpoint,
                failures=self.horizon.in_a_row or None,
            )


def _times(took_ms: list[int]) -> BatchTimes | None:
    if not took_ms:
        return None
    mean_ms = round(sum(took_ms) / len(took_ms))
    return BatchTimes(count=len(took_ms), mean_ms=mean_ms, longest_ms=max(took_ms))
