"""What a controller says of itself."""

import json
from dataclasses import dataclass, field

from streaming.metrics.account import Account, Batch, Source
from streaming.metrics.catalogue import Metrics
from streaming.metrics.group_gauges import GroupGauges
from streaming.metrics.status import About, Status
from streaming.metrics.tally import Tally
from streaming.process.horizon import Horizon
from trimtab.protocol import BatchTimes, GroupTotals

ABOUT = About("c", "0.1.0", 2, None)


@dataclass
class Work:
    """A controller's counts."""

    metrics: Metrics = field(default_factory=Metrics)
    horizon: Horizon = field(default_factory=lambda: Horizon("t.heartbeats"))

    def __post_init__(self) -> None:
        """All that a status is made of."""
        self.account = Account(self.metrics, self.horizon, "t.")
        gauges = GroupGauges(self.metrics)
        self.status = Status(ABOUT, self.metrics, self.account, gauges, self.horizon)

    def commits(self, number: int, took_ms: int, *tallies: Tally) -> None:
        """A batch that leaves three beats unread."""
        start, end, latest = (json.dumps({"t.heartbeats": {"1": it}}) for it in (1, 5, 8))
        source = Source(start, end, latest, rows=4)
        batch = Batch(number, {"triggerExecution": took_ms}, (source,), tallies)
        self.horizon.committed([(end, latest)])
        self.account.enter(batch)


def test_one_that_has_committed_nothing_says_so() -> None:
    """No batch, and no clock."""
    said = Work().status.record()

    assert (None, None, None) == (said.batch, said.times, said.lag_ms)
    assert (None, None) == said.clocks
    assert GroupTotals(groups=0, members=0, queues=0, unassigned=0) == said.totals


def test_it_says_that_its_query_fails_until_a_batch_is_committed() -> None:
    """A standby reads it."""
    work = Work()
    assert work.status.record().failures is None
    work.horizon.failed(by_kafka=False)
    work.horizon.failed(by_kafka=True)
    assert work.status.record().failures is None
    work.horizon.failed(by_kafka=False)
    assert 1 == work.status.record().failures
    work.commits(7, 100)
    assert work.status.record().failures is None


def test_it_sums_up_what_was_counted() -> None:
    """Since its process began; how long batches took, since it last said so."""
    work = Work()
    work.horizon.begin("1767312000000-0b5e55ed")
    work.horizon.ticked("1767312000000-0b5e55ed", 1, 2, 1, 5_000)
    work.horizon.ticked("1767312000000-0b5e55ed", 1, 6, 2, 6_000)
    decided = Tally(rebalances=[("g", "join", 2, 7)], letters=[("members", "garbage", 3, 3)])
    work.commits(7, 100, decided)
    work.commits(8, 301)
    said = work.status.record()

    assert (8, BatchTimes(count=2, mean_ms=200, longest_ms=301)) == (said.batch, said.times)
    assert ({"heartbeats": 3}, 1_000) == (said.lag, said.lag_ms)
    assert (None, 5_000) == said.clocks
    assert (3, 2, 7) == (said.dead_letters, said.rebalances, said.moves)
    assert "1767312000000-0b5e55ed" == said.start

    work.commits(9, 50)
    times = work.status.record().times
    assert times is not None
    assert (1, 50) == (times.count, times.longest_ms)
