"""RANGE: the same slice of every topic, Kafka's range assignor.

Each topic is cut into contiguous slices for its subscribers, in order, the first slices one
longer. Members keep their rank in every topic, so topics with equal numbers of queues and equal
subscribers are *co-partitioned*: queue i of each goes to one member, which can join them. The
price: the longer slices of all topics go to the first members, and a join moves nearly everything.

On sorted input this is RocketMQ's ``AVG`` by another name, and that is how it is made. The order
is Kafka's: static members first, by their instance, so that a restart keeps its slice; then the
others by id. Its one rule: the same result as Kafka 4's server-side ``RangeAssignor``.
"""

from collections.abc import Mapping, Sequence

from allocators.averagely import AVERAGELY
from allocators.per_topic import per_topic
from allocators.rocketmq import Strategy
from rebalance.allocation import Candidate
from rebalance.ids import MemberId, java_order


def _static_first(people: Mapping[MemberId, Candidate]) -> Sequence[MemberId]:
    def place(name: MemberId) -> tuple[bool, bytes, bytes]:
        instance = people[name].instance
        return not instance, java_order(instance or ""), java_order(name)

    return sorted(people, key=place)


ranges = per_topic(Strategy("RANGE", AVERAGELY.deal), _static_first)
