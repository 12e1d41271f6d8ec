"""RANGE: the same slice of every topic, Kafka's range assignor.

Each topic is cut into contiguous slices for its subscribers, in order, the first slices one
longer. Members keep their rank in every topic, so topics with equal numbers of queues and equal
subscribers are *co-partitioned*: queue i of each goes to one member, which can join them. The
price: the longer slices of all topics go to the first members, and a join moves nearly everything.

On sorted input this is RocketMQ's ``AVG`` by another name, and that is how it is made. The order
is that of member ids, as for Kafka's dynamic members. Its one rule: topics are never balanced
against each other.
"""

from allocators.averagely import AVERAGELY
from allocators.per_topic import per_topic
from allocators.rocketmq import Strategy

ranges = per_topic(Strategy("RANGE", AVERAGELY.deal))
