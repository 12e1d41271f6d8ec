"""What no verdict may do: take the last broker of a topic, or too many, or all.

The limits hold for what is in force at any time, not only when a sentence is passed: a topic may
shrink to the one broker that is out. So they are applied to all sentences and orders together,
operators' orders first, then the older sentence, each as long as it fits.

Called by ``sweep`` and ``publication``. Its one rule: I11, never all brokers unavailable and never
the last one of a topic, whoever asks for it.
"""

from collections.abc import Collection

from rebalance.ids import BrokerName
from rebalance.verdicts.draft import Draft


def in_force(draft: Draft) -> frozenset[BrokerName]:
    """Return the brokers that are out of use now."""
    taken: set[BrokerName] = set()
    for name, order in sorted(draft.orders.items(), key=lambda it: (it[1].since_ms, it[0])):
        if not order.available and not endangers(draft, taken, name):
            taken.add(name)
    if draft.in_panic:
        return frozenset(taken)
    sentences = [
        (broker.out.since_ms, name)
        for name, broker in draft.brokers.items()
        if broker.out is not None and name not in draft.orders
    ]
    count = 0
    for _, name in sorted(sentences):
        if count < room(draft) and not endangers(draft, taken, name):
            taken.add(name)
            count += 1
    return frozenset(taken)


def room(draft: Draft) -> int:
    """Return how many brokers the detectors may take out of use."""
    return max(1, len(draft.brokers) * draft.policy.ejected_percent_max // 100)


def endangers(draft: Draft, taken: Collection[BrokerName], name: BrokerName) -> bool:
    """Return whether taking this one too would leave nothing, or nothing for some topic."""
    left = [other for other in draft.brokers if other != name and other not in taken]
    if not left:
        return True
    return any(
        name in hosts and all(host == name or host in taken for host in hosts)
        for hosts in draft.topics.values()
    )
