"""AVG: contiguous even shares, RocketMQ's default.

Cut each topic's queues, in order, into as many even slices as there are subscribers, in order;
the first slices are one longer when it does not come out even. Simple and predictable, and it
moves nearly everything when a member joins: ``STICKY`` is the answer to that.

The result is that of ``AllocateMessageQueueAveragely``, queue for queue.
"""

from collections.abc import Mapping, Sequence

from allocators.rocketmq.contract import Client, Share, Strategy, first_places
from allocators.rocketmq.per_topic import per_topic
from rebalance.allocation import first_of
from rebalance.ids import Queue


def _deal(queues: Sequence[Queue], clients: Sequence[Client]) -> Mapping[Client, Share]:
    count, size = len(clients), len(queues)
    return {
        client: queues[first_of(place, count, size) : first_of(place + 1, count, size)]
        for client, place in first_places(clients).items()
    }


AVERAGELY = Strategy("AVG", _deal)
averagely = per_topic(AVERAGELY)
