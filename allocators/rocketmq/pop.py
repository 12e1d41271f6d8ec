"""POP: several clients share each queue (RocketMQ 5's ``allocate4Pop``).

In POP mode a queue need not have one owner, so each client also works on the shares of the next
K clients in the list: a slow client holds nothing up. With no K, or one that covers everybody,
all clients get all queues, each written with the id -1 ("any queue of this broker"). With more
clients than queues each client gets exactly one queue.

The result is that of ``QueryAssignmentProcessor.allocate4Pop`` (5.3.3), checks and missing checks
included.
"""

from unicodedata import category

from allocators.rocketmq.contract import Client, NullRefused, Refused, Round
from rebalance.ids import ANY_QUEUE, Queue


def shared(dealt: Round, client: Client, following: int) -> list[Queue]:
    """Return the queues that ``client`` may pop from, sharing those of ``following`` others."""
    queues, clients = dealt.queues, dealt.clients
    if following > 0 and clients is None:
        raise NullRefused(None)
    if following <= 0 or clients is None or following >= len(clients) - 1:
        if queues is None:
            raise NullRefused(None)
        return [queue._replace(id=ANY_QUEUE) for queue in queues]
    if queues is None:
        raise NullRefused(None)
    if len(clients) > len(queues):
        return _exactly_one(dealt, client)
    place = dealt.places.get(client)
    mine = _added([], dealt, client)
    if place is not None:
        for step in range(1, following + 1):
            _added(mine, dealt, clients[(place + step) % len(clients)])
    return mine


def _added(mine: list[Queue], dealt: Round, client: Client) -> list[Queue]:
    share = dealt.share(client)
    if share is None:
        raise NullRefused(None)
    mine.extend(share)
    return mine


def _exactly_one(dealt: Round, client: Client) -> list[Queue]:
    """The processor's own ``allocate``: it refuses blank ids, not only empty ones."""
    if client is None or all(_java_blank(character) for character in client):
        raise Refused("currentCID is empty")
    if not dealt.queues:
        raise Refused("mqAll is null or mqAll empty")
    place = dealt.places.get(client)
    return [] if place is None else [dealt.queues[place % len(dealt.queues)]]


def _java_blank(character: str) -> bool:
    """``Character.isWhitespace``: separators but the non-breaking ones, and some controls."""
    if character in "\t\n\v\f\r\x1c\x1d\x1e\x1f":
        return True
    return category(character) in {"Zs", "Zl", "Zp"} and character not in "\xa0\u2007\u202f"
