"""MACHINE_ROOM_NEARBY: each room's queues to the clients of that room.

Another strategy deals inside each room. A room with queues and no clients at all is dealt to
everybody, each such room by itself; that is why the first clients of short rooms always get more
(apache/rocketmq#2443).

The result is that of ``AllocateMachineRoomNearby``, with rooms in Java's order.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from allocators.java_order import queue_text
from allocators.rocketmq.contract import Client, NullRefused, Refused, Round, Share, Strategy
from allocators.rocketmq.rooms import RoomResolver
from rebalance.allocation import AllocationRequest
from rebalance.ids import Queue, TopicName, java_order
from rebalance.realms import wanting_each

T = TypeVar("T")


def nearby(inner: Strategy | None, rooms: RoomResolver | None) -> Strategy:
    """Return the strategy that lets ``inner`` deal inside each room."""
    if inner is None:
        raise NullRefused("allocateMessageQueueStrategy is null")
    if rooms is None:
        raise NullRefused("machineRoomResolver is null")

    def deal(
        queues: Sequence[Queue], clients: Sequence[Client]
    ) -> Mapping[Client, Share | Refused]:
        homes = _grouped((_broker_room(queue, rooms), queue) for queue in queues)
        people = _grouped((_client_room(client, rooms), client) for client in clients)
        orphans = [Round(inner, homes[room], clients) for room in homes if room not in people]
        answers: dict[Client, Share | Refused] = {}
        for room, neighbours in people.items():
            here = [Round(inner, homes[room], neighbours)] if room in homes else []
            answers |= {client: _joined(here + orphans, client) for client in neighbours}
        return answers

    return Strategy(f"MACHINE_ROOM_NEARBY-{inner.name}", deal)


def by_room(rooms: RoomResolver) -> Callable[[AllocationRequest], AllocationRequest]:
    """Return the question anew, with the queues of a topic in a room as a topic of their own."""

    def split(request: AllocationRequest) -> AllocationRequest:
        queues: dict[TopicName, tuple[Queue, ...]] = {}
        for topic, shelf in request.queues.items():
            homes = _grouped((rooms.broker_room(queue.broker), queue) for queue in shelf)
            queues |= {_realm(topic, room): tuple(there) for room, there in homes.items()}

        @cache
        def reach(room: str, topics: frozenset[TopicName]) -> frozenset[TopicName]:
            return frozenset(_realm(topic, room) for topic in topics)

        candidates = wanting_each(
            request.candidates, lambda name, one: reach(rooms.client_room(name), one.topics)
        )
        return AllocationRequest(candidates, queues)

    return split


def _realm(topic: TopicName, room: str) -> TopicName:
    return TopicName(f"{topic} {room}")  # no topic's name has a blank


def _joined(rounds: Iterable[Round], client: Client) -> Share | Refused:
    """What the client gets in each round, one after the other; the first refusal stands."""
    joined: list[Queue] = []
    try:
        for each in rounds:
            share = each.share(client)
            if share is None:
                return NullRefused(None)
            joined.extend(share)
    except Refused as refused:
        return refused
    return joined


def _grouped(placed: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """Group by room, rooms in the order of Java's TreeMap, each room in the order of the input."""
    groups: dict[str, list[T]] = {}
    for room, thing in placed:
        groups.setdefault(room, []).append(thing)
    return dict(sorted(groups.items(), key=lambda item: java_order(item[0])))


def _broker_room(queue: Queue, rooms: RoomResolver) -> str:
    room = rooms.broker_room(queue.broker)
    if not room:
        raise Refused(f"Machine room is null for mq {queue_text(queue)}")
    return room


def _client_room(client: Client, rooms: RoomResolver) -> str:
    if client is None:
        raise NullRefused(None)
    room = rooms.client_room(client)
    if not room:
        raise Refused(f"Machine room is null for consumer id {client}")
    return room
