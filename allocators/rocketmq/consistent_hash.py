"""CONSISTENT_HASH: the next client on a ring of hashes.

Each client stands on a ring at several places (its virtual nodes), each queue at one; a queue
belongs to the first client at or after it. A join or leave moves little, but loads are uneven,
3 to 17 times between the least and the most with RocketMQ's 10 nodes, and a client may get nothing.

The ring is built once for the group. Java builds it anew in every client and counts a client's
nodes by walking the ring: quadratic, 37 s a client at 10,000 clients. Counting as we go gives the
same ring. The result is that of ``AllocateMessageQueueConsistentHash``.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import md5

from allocators.java_order import queue_text
from allocators.rocketmq.contract import Client, NullRefused, Refused, Share, Strategy
from rebalance.ids import Queue

DEFAULT_NODES = 10
"""The no-argument constructor of ``AllocateMessageQueueConsistentHash``."""


def ring_hash(key: str) -> int:
    """Return the first four bytes of the MD5, unsigned. Java writes lone surrogates as ``?``."""
    digest = md5(key.encode("utf-8", "replace"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:4], "big")


def consistent_hash(nodes: int | None = None) -> Strategy:
    """Return the strategy with ``nodes`` virtual nodes a client; with 0 no member owns anything."""
    count = DEFAULT_NODES if nodes is None else nodes
    if count < 0:
        raise Refused(f"illegal virtualNodeCnt :{count}")

    def deal(queues: Sequence[Queue], clients: Sequence[Client]) -> Mapping[Client, Share]:
        nodes = count * len(clients)
        if nodes > MOST_NODES:  # not Refused: whoever has queues is to keep them
            reason = f"virtualNodeCnt {count} for each of {len(clients)} members"
            raise ValueError(f"{reason} is more than {MOST_NODES} nodes: set a lower one")
        ring = _ring if nodes <= _KEPT_NODES else _large_ring
        places, standing = ring(tuple(clients), count)
        dealt: dict[Client, list[Queue]] = {}
        for queue in queues if places else ():
            at = bisect_left(places, ring_hash(queue_text(queue)))
            dealt.setdefault(standing[at % len(places)], []).append(queue)
        return dealt

    return Strategy("CONSISTENT_HASH", deal)


MOST_NODES = 1_000_000
"""On a ring: a hundred for each member of the largest group. It takes a second and 100 MB; Java has
no limit, and a typing mistake would keep a group's worker busy for ever."""

_KEPT_NODES = 100_000
"""Of larger rings only the last one is kept, because eight of them would fill a worker."""

RINGS = 8
"""How many are kept: the topics of a group have the same clients, in the same few rooms
(``nearby``). A ring of 10,000 clients takes some 10 MB."""


@lru_cache(RINGS)
def _ring(clients: tuple[Client, ...], count: int) -> tuple[list[int], list[Client]]:
    """Place each client's nodes: the later one wins a place that is taken.

    A client that stands on the ring already goes on numbering at the number of its nodes, so a
    repeated id has more of them, and one that lost a place to another reuses a number.
    """
    ring: dict[int, Client] = {}
    standing: Counter[Client] = Counter()
    for client in clients:
        if standing[None]:  # Java compares with each node's client, and null.equals() throws.
            raise NullRefused(None)
        first = standing[client]
        for number in range(first, first + count):
            place = ring_hash(f"{'null' if client is None else client}-{number}")
            if place in ring:
                standing[ring[place]] -= 1
            ring[place] = client
            standing[client] += 1
    places = sorted(ring)
    return places, [ring[place] for place in places]


_large_ring = lru_cache(1)(_ring.__wrapped__)
