"""A tiny controller for one queue: the reference rule of the design, to run real sessions against.

Holder and heir, each with an epoch of its own; an heir that was told of its chance is a possible
owner, so it is replaced only after it has let go. The real one, with many queues and members, is
`rebalance.groups.handover.baton`; that it is this small here is the point.
"""

from typing import Literal, NamedTuple

Claim = tuple[int, int]
"""A member and the epoch under which it may own the queue."""


class Order(NamedTuple):
    """What a member's record says of the queue."""

    verb: Literal["none", "hold", "give", "inherit"]
    epoch: int = 0
    source: Claim | None = None


NOTHING = Order("none")
Published = tuple[tuple[int, Order], ...]
"""Members and their new orders."""


class Books(NamedTuple):
    """Who owns the queue, who is next, and who should."""

    holder: Claim | None = None
    heir: Claim | None = None
    withdrawn: bool = False
    """The heir was told to give its chance up."""
    told: bool = False
    """The holder was told to give the queue up."""
    target: int | None = None
    next_epoch: int = 1
    fenced: frozenset[int] = frozenset()


def aim(books: Books, target: int) -> tuple[Books, Published]:
    """Somebody else should own the queue."""
    return settle(books._replace(target=target))


def book(books: Books, release: Claim) -> tuple[Books, Published]:
    """Enter a release; one of an epoch that is over means nothing."""
    if release == books.holder:
        books = books._replace(holder=None)
    elif release == books.heir:
        books = books._replace(heir=None, withdrawn=False)
    return settle(books)


def fence(books: Books, member: int) -> tuple[Books, Published]:
    """A member is dead: whatever it owned is free."""
    books = books._replace(fenced=books.fenced | {member})
    if books.heir and books.heir[0] == member:
        books = books._replace(heir=None, withdrawn=False)
    if books.holder and books.holder[0] == member:
        books = books._replace(holder=None)
    return settle(books)


def settle(books: Books) -> tuple[Books, Published]:
    """Move the queue one step towards its target, and say so to whom it concerns."""
    published: list[tuple[int, Order]] = []
    if books.holder is None and books.heir is not None:  # it may have started: the same epoch
        member, epoch = books.heir
        verb: Literal["give", "hold"] = "give" if books.withdrawn else "hold"
        published.append((member, Order(verb, epoch)))
        books = books._replace(holder=books.heir, heir=None, told=books.withdrawn, withdrawn=False)
    target = None if books.target in books.fenced else books.target
    if target is None:
        return books, tuple(published)
    if books.holder is None:
        published.append((target, Order("hold", books.next_epoch)))
        books = books._replace(holder=(target, books.next_epoch), told=False)
        return books._replace(next_epoch=books.next_epoch + 1), tuple(published)
    books, more = _pass_on(books, books.holder, target)
    return books, (*published, *more)


def _pass_on(books: Books, holder: Claim, target: int) -> tuple[Books, Published]:
    if books.heir is not None:
        if books.heir[0] == target or books.withdrawn:
            return books, ()
        return books._replace(withdrawn=True), ((books.heir[0], Order("give", books.heir[1])),)
    if holder[0] == target:
        said = ((target, Order("hold", holder[1])),) if books.told else ()
        return books._replace(told=False), said
    heir = (target, books.next_epoch)
    books = books._replace(heir=heir, told=True, next_epoch=books.next_epoch + 1)
    return books, (
        (holder[0], Order("give", holder[1])),
        (target, Order("inherit", heir[1], holder)),
    )
