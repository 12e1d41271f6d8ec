"""AVG: contiguous even shares, RocketMQ's default.

Cut each topic's queues, in order, into as many even slices as there are subscribers, in order;
the first slices are one longer when it does not come out even. Simple and predictable, and it
moves nearly everything when a member joins: ``STICKY`` is the answer to that.

The order is that of RocketMQ's Java: strings compare by UTF-16 code units, queues by topic, then
broker, then id. Its one rule: the same result as ``AllocateMessageQueueAveragely``, queue for
queue, for every member at once.
"""

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.ids import MemberId, Queue, TopicName


def averagely(request: AllocationRequest) -> AllocationPlan:
    """Deal each topic's queues to its subscribers in contiguous even shares."""
    owners: dict[Queue, MemberId] = {}
    unassigned: dict[Queue, str] = {}
    ranked = sorted(request.candidates, key=_java_order)
    for topic, queues in request.queues.items():
        subscribers = [name for name in ranked if topic in request.candidates[name].topics]
        if not subscribers:
            unassigned |= dict.fromkeys(queues, "no member subscribes the topic")
        else:
            owners |= _shares(sorted(queues, key=_queue_order), subscribers)
    return AllocationPlan(owners, unassigned)


def _shares(queues: list[Queue], subscribers: list[MemberId]) -> dict[Queue, MemberId]:
    share, longer = divmod(len(queues), len(subscribers))
    owners: dict[Queue, MemberId] = {}
    start = 0
    for index, member in enumerate(subscribers):
        end = start + share + (1 if index < longer else 0)
        owners |= dict.fromkeys(queues[start:end], member)
        start = end
    return owners


def _java_order(text: str) -> bytes:
    """Java compares strings by UTF-16 code unit, Python by code point: they differ above U+FFFF."""
    return text.encode("utf-16-be", "surrogatepass")


def _queue_order(queue: Queue) -> tuple[bytes, bytes, int]:
    topic: TopicName = queue.topic
    return _java_order(topic), _java_order(queue.broker), queue.id
