"""Hosting: which brokers each topic has, as far as there is room.

Whoever may report may name a thousand brokers for each of ten thousand topics. Where there is no
room for all that are named, a few of a topic's brokers are kept: as none of these is out unless
another one is in use, the topic is as safe (``limits``). More of its brokers may be spared then.

Called by ``obeying`` and ``sweep``. Its one rule: what is kept of a topic are brokers that it has,
and at least one.
"""

from collections.abc import Collection
from typing import Final

from rebalance.brokers.draft import Draft
from rebalance.ids import BrokerName, TopicName

ROOM: Final = 4_000_000
"""For all names together: ten thousand topics on thirty brokers each, whose names are short."""
_BESIDE: Final = 8
"""What a name takes besides its characters."""
FEW: Final = 3
"""Kept of a topic beyond that. Two could both be bad."""


def is_full(draft: Draft) -> bool:
    """Tell whether there is no room for another topic."""
    return len(draft.topics) >= draft.policy.topics_max


def host(draft: Draft, topic: TopicName, brokers: frozenset[BrokerName]) -> None:
    """Enter which brokers a topic has, or a few of them; none: it is gone."""
    if draft.hosted is None:
        draft.hosted = sum(map(_size, draft.topics.values()))
    draft.hosted -= _size(draft.topics.get(topic, ()))
    if not brokers:
        draft.topics.pop(topic, None)
        return
    if draft.hosted + _size(brokers) > ROOM:
        brokers = frozenset(sorted(brokers)[:FEW])
    draft.topics[topic] = brokers
    draft.hosted += _size(brokers)


def _size(brokers: Collection[BrokerName]) -> int:
    return sum(map(len, brokers)) + _BESIDE * len(brokers)
