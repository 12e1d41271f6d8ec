"""The juries of a cell: clusters that share its clock, folded over what was said of their brokers.

Next door to the groups, behind the same front desk: ``cell`` has read the rows and stamped them,
and hands over what concerns brokers. Ticks count for every jury, at their places in the log, so
that a sweep ends at the same record however the log is cut into batches; but no bench is opened
for a tick that is due for nobody.

Called by ``cell``. Its one rule: the same as the cell's, nothing but cell and rows decides.
"""

from collections.abc import Mapping, Sequence
from heapq import merge
from operator import itemgetter

from rebalance.verdicts.cluster import Cluster
from rebalance.verdicts.decisions import BrokerDecision
from rebalance.verdicts.events import BrokerEvent, ClusterName
from rebalance.verdicts.policy import VerdictPolicy
from rebalance.verdicts.step import step
from streaming.codec import Cell, open_benches, seat, shut_benches, unseat

Said = tuple[int, BrokerEvent]
"""An event, and its place among the rows of the batch."""


def deliberate(
    cell: Cell,
    said: Mapping[ClusterName, Sequence[Said]],
    ticks: Sequence[Said],
    policy: VerdictPolicy,
) -> tuple[Cell, list[BrokerDecision]]:
    """Step every jury that heard something or whose time is up."""
    benches = open_benches(cell)
    awake = said.keys() | {
        name
        for name, bench in benches.items()
        if bench.deadline is not None and cell.clock.now >= bench.deadline
    }
    decisions: list[BrokerDecision] = []
    for name in sorted(awake):
        before = unseat(benches[name]) if name in benches else Cluster(name)
        events = [event for _, event in merge(said.get(name, ()), ticks, key=itemgetter(0))]
        after = step(before, events, policy)
        decisions += after.decisions
        if after.cluster.deadline is not None:
            benches[name] = seat(after.cluster)
        else:
            benches.pop(name, None)  # nobody speaks of it any more
    return shut_benches(cell, benches), decisions
