"""CONFIG: each client gets the list that was configured.

RocketMQ's ``AllocateMessageQueueByConfig`` checks nothing and looks at nothing: each client is
given the list it was set up with, or null when there was none. Under a central controller a queue
has one owner, so there (``given_once``) the first subscriber of a topic gets what is listed of it.
"""

from collections.abc import Mapping, Sequence

from allocators.rocketmq.contract import Client, Share, Strategy
from rebalance.ids import Queue


def configured(listed: Sequence[Queue] | None) -> Strategy:
    """Return the strategy that hands out ``listed``; None stands for Java's null."""

    def deal(_queues: Sequence[Queue], clients: Sequence[Client]) -> Mapping[Client, Share]:
        return dict.fromkeys(clients, listed)

    return Strategy("CONFIG", deal, checked=False)


def given_once(listed: Sequence[Queue] | None) -> Strategy:
    """Return the same for a group, where nobody after the first would get anything."""
    chosen = frozenset(listed or ())

    def deal(queues: Sequence[Queue], clients: Sequence[Client]) -> Mapping[Client, Share]:
        return {clients[0]: [queue for queue in queues if queue in chosen]}

    return Strategy("CONFIG", deal)
