"""Queues, grants and pages of the books, as short text.

- ``orders-0``: a queue (topic and id).
- ``a``, ``a:2``: the first, the second life of member a.
- ``a@3``: a grant of epoch 3, or a page: a holds.
- ``a@3!5``: a holds, and was told by record 5 to let go; ``a@3!5x``: it is known to be done.
- ``a@3!5 > b@5``: b is named as the heir; ``a@3!5 > b@5 / c@4``: c was promised it, too.
- ``orders-0@3>5``: a holder's grant, and the one that comes next.

What is written is read back unchanged, but for the time at which a member was told.
"""

from operator import attrgetter

from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.ownership import Asked, Grant, Over, Ownership
from rebalance.ids import (
    BrokerName,
    Epoch,
    Held,
    Incarnation,
    Life,
    MemberId,
    Millis,
    Naming,
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


def namings(text: str) -> tuple[Naming, ...]:
    """Read queues with epochs and what comes next, and whose: ``orders-0@3>5=b:2 orders-1@3``."""
    return tuple(map(_naming, text.split()))


def naming_text(naming: Naming) -> str:
    """Write a holder's grant."""
    named = "" if naming.next is None else f">{naming.next}"
    return f"{queue_text(naming.queue)}@{naming.epoch}{named}"


def _naming(text: str) -> Naming:
    grant, _, named = text.partition(">")
    (held,) = claims(grant)
    epoch, _, who = named.partition("=")
    return Naming(*held, Epoch(int(epoch)) if epoch else None, life(who) if who else None)


def grant(text: str) -> Grant:
    """Read a grant."""
    who, _, epoch = text.partition("@")
    return Grant(life(who), Epoch(int(epoch)))


def grant_text(grant: Grant) -> str:
    """Write a grant."""
    return f"{life_text(*grant.life)}@{grant.epoch}"


def page(text: str) -> Ownership | None:
    """Read a page of the books; an empty one is no page."""
    if not text:
        return None
    first, *others = text.split(" / ")
    head, _, heir = first.partition(" > ")
    holder, _, told = head.partition("!")
    ended = told.endswith("x")
    heirs = [grant(each) for each in (heir, *others) if each]
    return Ownership(
        grant(holder),
        tuple(sorted(heirs, key=attrgetter("epoch"))),
        grant(heir).epoch if heir else None,
        Asked(Epoch(int(told.removesuffix("x"))), TOLD_AT) if told else None,
        Over(Ending.FENCED, TOLD_AT) if ended else None,
    )


def page_text(page: Ownership | None) -> str:
    """Write a page of the books."""
    if page is None:
        return ""
    told = "" if page.asked is None else f"!{page.asked.epoch}"
    ended = "" if page.ending is None else "x"
    named = "" if page.heir is None else f" > {grant_text(page.heir)}"
    others = [f" / {grant_text(heir)}" for heir in page.heirs if heir is not page.heir]
    return "".join([grant_text(page.holder), told, ended, named, *others])
