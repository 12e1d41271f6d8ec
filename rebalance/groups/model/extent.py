"""Extent: the limit of a group's queues, so that one record can name all of them.

One member may get all queues of a group, and its record names each of them, in what Kafka takes in
one record. So a group takes in no more than that: no more queues than its policy allows, and no
more of their names than fit. The size is an upper bound, so an assignment and a beat that lists
what its member owns always fit, and so does a release of half of the queues that there may be
(``tests/unit/sinks/test_room.py`` compares it with the records themselves).

Kept by ``routing`` while it reads routes. Its one rule: what a topic takes depends on the topic
alone, so that a route costs no sum over all topics.
"""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from rebalance.groups.model.route import Route
from rebalance.ids import BrokerName, TopicName

RECORD_BYTES: Final = 1024 * 1024 - 64 * 1024
"""What a record has for queues: Kafka's default for all of it, less what else a record says. That
is 6 kB for the longest names of group, member and cause; the rest is for the names of the lives
that are inherited from, or come next."""
ALWAYS_FIT: Final = 300
"""So many queues fit into any record, however long their names are: two of 1 kB each. For what may
be said of queues that the group has beside its routes, because they are gone from those."""
LEFT_OUT: Final = 1_000
"""So many topics without room are remembered, and shown; a summary has no room for more."""

_SHELF: Final = len('{"topic":,"queues":[]},')
_BROKER: Final = len('"broker":,')
_VERBS: Final = 3
"""A topic's queues may stand in three lists at once: hold, give and inherit; or, of who knows no
releases and so inherits nothing, what is shared."""
_ROW: Final = len("[,12345678,1234567890123456789],")
"""All but the id of a long row: an epoch and a position. An epoch of eight digits is a decision a
second for three years. Only a release's row may be longer, by the epoch that comes next; so a
member does not put more than half of the queues into one. A row to hold is shorter: two epochs, and
the number of the life that comes next."""


class Extent(NamedTuple):
    """What there is of queues."""

    queues: int = 0
    size: int = 0
    """What they take in a record, in bytes, if they are as unlucky as can be."""
    left_out: int = 0
    """Topics of which nothing is taken in."""

    def with_route(self, topic: TopicName, route: Route) -> "Extent":
        """Return the extent with one topic more."""
        its = extent_of(topic, route)
        return Extent(self.queues + its.queues, self.size + its.size, self.left_out + its.left_out)

    def without(self, topic: TopicName, route: Route | None) -> "Extent":
        """Return the extent with one topic less."""
        if route is None:
            return self
        its = extent_of(topic, route)
        return Extent(self.queues - its.queues, self.size - its.size, self.left_out - its.left_out)


def extent_of(topic: TopicName, route: Route) -> Extent:
    """Return the extent of one topic."""
    queues = route.queues
    if not queues:
        return Extent(left_out=int(route.left_out > 0))
    if queues[0].broker == queues[-1].broker:  # they are sorted: it is the only one, as on Kafka
        counts: Mapping[BrokerName, int] = {queues[0].broker: len(queues)}
        widest = queues[-1].id
    else:
        counts = Counter(queue.broker for queue in queues)
        widest = max(queue.id for queue in queues)
    shelves = sum(_shelf(topic, broker) * min(_VERBS, count) for broker, count in counts.items())
    return Extent(len(queues), shelves + len(queues) * (_ROW + len(str(widest))))


@lru_cache(maxsize=65_536)
def _shelf(topic: TopicName, broker: BrokerName) -> int:
    """Return what the names of a topic and of a broker take."""
    return _SHELF + _written(topic) + (_BROKER + _written(broker) if broker else 0)


def _written(name: str) -> int:
    """Return what a name takes in JSON; names have no control characters."""
    return len(name.encode()) + name.count('"') + name.count("\\") + 2
