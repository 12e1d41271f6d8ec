"""One step of the jury: events of a cluster in, its next state and the verdicts out.

Each event first moves the clock, and what that makes due is done before the event: a sweep that is
over is closed, a command that has expired ends. So it makes no difference how the log is cut into
batches.

Called by ``streaming``, by tests and by simulations. The same cluster and events always give the
same result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from rebalance.brokers import ballots, obeying, rocketmq_table
from rebalance.brokers.cluster import Cluster
from rebalance.brokers.decisions import BrokerDecision
from rebalance.brokers.draft import Draft
from rebalance.brokers.events import (
    BrokerCommanded,
    BrokerEvent,
    BrokerForgotten,
    Hosted,
    Reported,
)
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.publication import publish
from rebalance.brokers.sweep import close
from rebalance.ids import Millis
from rebalance.stamp import Stamp, Ticked


@dataclass(frozen=True, slots=True)
class BrokerStep:
    """The outcome of a step."""

    cluster: Cluster
    decisions: tuple[BrokerDecision, ...]


def step(cluster: Cluster, events: Sequence[BrokerEvent], policy: VerdictPolicy) -> BrokerStep:
    """Fold ``events``, which are in log order."""
    draft = Draft(cluster, policy)
    for event in events:
        if draft.is_blank() and isinstance(event, Ticked):
            continue  # time means nothing to a cluster that no record names
        _advance(draft, event.stamp)
        _fold(draft, event)
        if draft.is_blank():
            draft.sweep_ends = None
    return BrokerStep(draft.after(), tuple(draft.decisions))


def _advance(draft: Draft, stamp: Stamp) -> None:
    """Let time go by."""
    draft.now = max(draft.now, stamp.heard)
    # As the last record has it, not the largest: a stamp may have been wrong.
    draft.appended = Millis(stamp.appended + draft.now - stamp.heard)
    lapsed = [obeying.lapse(draft), rocketmq_table.expire(draft)]
    if draft.sweep_ends is not None and draft.now >= draft.sweep_ends:
        close(draft)
        publish(draft)
        draft.swept = draft.appended
        # A gap in the log is one sweep, however long: no reporter was heard in it.
        draft.sweep_ends = Millis(draft.now + draft.policy.sweep_ms)
    elif any(lapsed):
        publish(draft)
    if draft.sweep_ends is None:
        draft.sweep_ends = Millis(draft.now + draft.policy.sweep_ms)


def _fold(draft: Draft, event: BrokerEvent) -> None:
    match event:
        case Reported():
            if rocketmq_table.judge(draft, ballots.book(draft, event)):
                publish(draft)
        case BrokerCommanded():
            obeying.obey(draft, event)
        case BrokerForgotten():
            obeying.forget(draft, event)
        case Hosted():
            disputed = draft.is_disputed
            if obeying.observe(draft, event) and disputed:
                publish(draft)  # a topic's last broker may be among them, or one that was replaced
        case Ticked():
            pass
        case _:
            assert_never(event)
