"""Evening burdens: nobody stands heir to much more than its share.

A newcomer stands heir to nothing, and a member that stands heir to half the group would cost half
the group when it goes. So in each deal those with the smallest burden take over a few queues from
those with the largest: as many as one member's share, because that is what one newcomer needs, and
no more than brings the deal to two shares in all. The rest waits for the next deal, so that no
change of the group moves very many.

Where members own more queues than there are members, everybody is heir to some of each, and nothing
is left to even out.

Called by ``dealing``, last. Its one rule: no holding that is good becomes worse than good, and the
work is bounded by ``LOOKS``.
"""

from collections.abc import Iterator
from itertools import islice

from rebalance.groups.standing.register import Register
from rebalance.groups.standing.settling import is_good
from rebalance.ids import MemberId, Queue

LOOKS = 8
"""Queues looked at for each one that may be passed on: most are passed on at the first look, and
where racks or subscriptions differ, a few are looked at in vain."""


def even_out(register: Register, changed: int) -> None:
    """Let the least burdened take over, in a deal that has changed so many heirs before."""
    taker = _least(register)
    if taker is None:
        return
    share = register.ranks.share(register.kinds[taker])
    if share >= len(register.candidates):
        return
    looks = LOOKS * share
    for _ in range(min(share, 2 * share - changed)):
        taker = _least(register)
        looks -= 0 if taker is None else _taken_over(register, taker, looks)
        if taker is None or looks <= 0:
            return


def _taken_over(register: Register, taker: MemberId, looks: int) -> int:
    """Let one member take over one queue; return how many were looked at, all if none suits."""
    offers = islice(_offers(register, taker), looks)
    for looked, (giver, owner, queue) in enumerate(offers, start=1):
        register.looked += 1
        if _suits(register, taker, giver, owner, queue):
            register.put(owner, queue, taker)
            for name in (giver, taker):
                register.ranks.file(name, register.place(name))
            return looked
    return looks


def _least(register: Register) -> MemberId | None:
    """Return who stands heir to more than one queue less than its share, and to least of all."""
    ranks = register.ranks
    fronts = (
        (ranks.lift(kind, rank[0][0]), rank[0][1])
        for kind, load, rank in ranks.each()
        if rank[0][0] + 1 < ranks.share(kind) and kind.bears(load + 1)
    )
    return min(fronts, default=(0, None))[1]


def _offers(register: Register, taker: MemberId) -> Iterator[tuple[MemberId, MemberId, Queue]]:
    """Return what the most burdened stand heir to, as far as passing it on evens something out."""
    ranks, kind = register.ranks, register.kinds[taker]
    after = ranks.lift(kind, register.burdens.get(taker, 0) + 1)
    backs = ((ranks.lift(it, rank[-1][0] - 1), it, rank) for it, _, rank in ranks.each())
    for _, giving, rank in sorted(backs, key=lambda back: (-back[0], back[2][-1][1])):
        for burden, giver in reversed(rank):
            if burden < ranks.share(giving) or ranks.lift(giving, burden - 1) < after:
                break
            for owner in sorted(register.duties[giver]):
                holding = register.holdings[owner]
                found = (queue for queue in holding if holding[queue] == giver)
                yield giver, owner, min(found)


def _suits(
    register: Register, taker: MemberId, giver: MemberId, owner: MemberId, queue: Queue
) -> bool:
    """Tell whether the taker may be heir too, as near as the giver, and the holding stays good."""
    ranks, kind = register.ranks, register.kinds[taker]
    if taker == owner or queue.topic not in kind.topics or register.count(owner, taker):
        return False
    known = register.candidates.get(owner)
    if known is not None and kind.rack != known.rack == register.kinds[giver].rack:
        return False
    load = register.load(taker) + 1
    ceilings = [ranks.ceiling(topic) for topic in {it.topic for it in register.holdings[owner]}]
    lowest = min((ceiling for ceiling in ceilings if ceiling is not None), default=None)
    if lowest is None or not kind.bears(load) or ranks.lift(kind, load) > lowest:
        return False
    return is_good(register, owner, ranks.ceiling)
