"""MACHINE_ROOM: only the queues of chosen rooms, in even shares.

A broker is called ``room@name``. Queues of the chosen rooms are cut into even blocks; what is left
over goes, one each, to the first clients, after their block. Queues of other rooms have no owner.

The result is that of ``AllocateMessageQueueByMachineRoom`` (since 4.8.0, #2477).
"""

from collections.abc import Collection, Mapping, Sequence

from allocators.rocketmq.contract import Client, NullRefused, Share, Strategy, first_places
from rebalance.ids import Queue


def machine_room(rooms: Collection[str] | None) -> Strategy:
    """Return the strategy for ``rooms``; None stands for a setter that was never called."""

    def deal(queues: Sequence[Queue], clients: Sequence[Client]) -> Mapping[Client, Share]:
        chosen = [queue for queue in queues if _in_rooms(queue.broker, rooms)]
        block, left_over = divmod(len(chosen), len(clients))
        evenly = block * len(clients)
        return {
            client: chosen[place * block : (place + 1) * block]
            + (chosen[evenly + place : evenly + place + 1] if place < left_over else [])
            for client, place in first_places(clients).items()
        }

    return Strategy("MACHINE_ROOM", deal)


def _in_rooms(broker: str, rooms: Collection[str] | None) -> bool:
    """Java's ``split("@")`` has two parts, and the first one is a chosen room.

    Java drops empty parts at the end (but not at the start): ``a@`` is one part, ``a@b@`` two.
    """
    parts = broker.rstrip("@").split("@")
    if len(parts) != 2:  # noqa: PLR2004 - room and name
        return False
    if rooms is None:
        raise NullRefused(None)
    return parts[0] in rooms
