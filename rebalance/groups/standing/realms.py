"""Standing heirs where a strategy keeps some queues for some members (``rebalance.realms``).

A queue of a rack, of a room or of the canaries must not pass to somebody else while one of those
who may have it stays: the strategy would only have it given back. So each realm is dealt as a topic
of its own.

All of it is dealt anew each time: such strategies look at each queue, too. Called by
``succession``. Its one rule: an heir is of its queue's realm as long as another than the owner is.
"""

from collections.abc import Iterable

from rebalance.allocation import AllocationRequest
from rebalance.groups.standing.dealing import Dealt, Standing, deal
from rebalance.ids import MemberId, Queue
from rebalance.owners import Owners


def deal_apart(
    heirs: Owners, realms: AllocationRequest, ready: Iterable[MemberId], owners: Owners
) -> Dealt:
    """Deal standing heirs within the realms to ``ready``: those who may be promised a queue.

    ``heirs`` are those that there were, ``realms`` the strategy's question, where each realm is a
    topic. What is in none of them gets no heir.
    """
    candidates = {name: realms.candidates[name] for name in ready}
    realm_of = {queue: realm for realm, queues in realms.queues.items() for queue in queues}
    inside = {it: Queue(realm_of[it], it.broker, it.id) for it in owners if it in realm_of}
    outside = {within: queue for queue, within in inside.items()}
    owned = {inside[queue]: owner for queue, owner in owners.items() if queue in inside}
    were = {inside.get(queue, queue): heir for queue, heir in heirs.items()}
    dealt = deal(Standing(owned, were), candidates, owned, None)
    told = {outside[within]: heir for within, heir in dealt.standing.heirs().items()}
    changes = {outside.get(it, it): heir for it, heir in dealt.changes.items()}
    return Dealt(Standing(owners, told), dict(sorted(changes.items())), dealt.looked)
