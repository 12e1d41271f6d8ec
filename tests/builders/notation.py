"""Queues, grants and pages of the books, as short text.

- ``orders-0``: a queue (topic and id).
- ``a``, ``a:2``: the first, the second life of member a.
- ``a@3``: a grant of epoch 3; ``a@3!5``: the same, told by record 5 to let go.
- ``a@3!5 > b@5``: a page: a holds, b is the heir.

What is written is read back unchanged, but for the time at which a member was told.
"""

from rebalance.groups.model.ownership import Asked, Grant, Ownership
from rebalance.ids import (
    BrokerName,
    Epoch,
    Held,
    Incarnation,
    Life,
    MemberId,
    Millis,
    Queue,
    TopicName,
)

TOLD_AT = Millis(0)
"""The time that every "!" of a page stands for."""


NO_LIFE = Incarnation("0")
"""RocketMQ's clients have none; it is older than any."""


def queue(text: str) -> Queue:
    """Read a queue."""
    topic, _, number = text.rpartition("-")
    return Queue(TopicName(topic), BrokerName(""), int(number))


def queue_text(queue: Queue) -> str:
    """Write a queue."""
    return f"{queue.topic}-{queue.id}"


def claims(text: str) -> tuple[Held, ...]:
    """Read queues with epochs: ``orders-0@3 orders-1@3``."""
    pairs = (each.split("@") for each in text.split())
    return tuple(Held(queue(name), Epoch(int(epoch))) for name, epoch in pairs)


def life(text: str) -> Life:
    """Read a life of a member."""
    member, _, incarnation = text.partition(":")
    return Life(MemberId(member), Incarnation(incarnation or "1"))


def life_text(member: MemberId, incarnation: Incarnation) -> str:
    """Write a life; the first one, and the one of who has none, go without saying."""
    return member if incarnation in {"1", NO_LIFE} else f"{member}:{incarnation}"


def grant(text: str) -> Grant:
    """Read a grant."""
    who, _, epochs = text.partition("@")
    epoch, _, told = epochs.partition("!")
    asked = Asked(Epoch(int(told)), TOLD_AT) if told else None
    return Grant(life(who), Epoch(int(epoch)), asked)


def grant_text(grant: Grant) -> str:
    """Write a grant."""
    told = "" if grant.asked is None else f"!{grant.asked.epoch}"
    return f"{life_text(*grant.life)}@{grant.epoch}{told}"


def page(text: str) -> Ownership | None:
    """Read a page of the books; an empty one is no page."""
    if not text:
        return None
    holder, _, heir = text.partition(" > ")
    return Ownership(grant(holder), grant(heir) if heir else None)


def page_text(page: Ownership | None) -> str:
    """Write a page of the books."""
    if page is None:
        return ""
    grants = [page.holder] if page.heir is None else [page.holder, page.heir]
    return " > ".join(map(grant_text, grants))
