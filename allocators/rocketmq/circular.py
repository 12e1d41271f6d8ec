"""AVG_BY_CIRCLE: one queue to each in turn.

Queue j goes to client j mod N. Neighbouring queues (of one broker, say) land on different
clients; a single join moves nearly everything.

The result is that of ``AllocateMessageQueueAveragelyByCircle``, queue for queue.
"""

from collections.abc import Mapping, Sequence

from allocators.rocketmq.contract import Client, Share, Strategy, first_places
from rebalance.ids import Queue


def _deal(queues: Sequence[Queue], clients: Sequence[Client]) -> Mapping[Client, Share]:
    return {
        client: queues[place :: len(clients)] for client, place in first_places(clients).items()
    }


CIRCULAR = Strategy("AVG_BY_CIRCLE", _deal)
