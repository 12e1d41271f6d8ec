"""Java's order of strings and queues.

RocketMQ sorts clients and queues before it deals them out, so the order decides who gets what.
Java compares strings by UTF-16 code unit and Python by code point; the two differ above U+FFFF
(Java puts U+1F600 before U+FFFD). ``Collections.sort`` on ``MessageQueue`` goes by topic, broker
and id. Called by every strategy here, so that all of them agree on what "first" means.

Its one rule: nothing in this folder sorts names in any other way.
"""

from collections.abc import Iterable
from itertools import zip_longest
from operator import itemgetter
from typing import TypeVar

from rebalance.ids import Queue, java_order

Name = TypeVar("Name", bound=str)


def ranked(names: Iterable[Name]) -> tuple[Name, ...]:
    """Sort names in Java's order. In ASCII it is Python's, which needs no keys."""
    unsorted = list(names)
    return tuple(sorted(unsorted, key=None if "".join(unsorted).isascii() else java_order))


def queue_order(queue: Queue) -> tuple[bytes, bytes, int]:
    """Return a sort key that puts queues in the order of RocketMQ's ``MessageQueue``."""
    return java_order(queue.topic), java_order(queue.broker), queue.id


def in_order(queues: Iterable[Queue]) -> list[Queue]:
    """Sort the queues of one topic; of one broker, as on Kafka, the id alone decides."""
    unsorted = list(queues)
    one_broker = len(set(map(itemgetter(1), unsorted))) == 1
    return sorted(unsorted, key=itemgetter(2) if one_broker else queue_order)


def compare_strings(left: str, right: str) -> int:
    """Return what ``left.compareTo(right)`` returns in Java: a difference of units or lengths."""
    units = zip_longest(_units(left), _units(right))
    for mine, other in units:
        if mine is None or other is None:
            return len(_units(left)) - len(_units(right))
        if mine != other:
            return mine - other
    return 0


def compare_queues(left: Queue, right: Queue) -> int:
    """Return what ``MessageQueue.compareTo`` returns, its 32-bit overflow included."""
    by_name = compare_strings(left.topic, right.topic) or compare_strings(left.broker, right.broker)
    return by_name or (left.id - right.id + 2**31) % 2**32 - 2**31


def queue_text(queue: Queue) -> str:
    """Return ``MessageQueue.toString()``: what the hash ring hashes and error messages quote."""
    return f"MessageQueue [topic={queue.topic}, brokerName={queue.broker}, queueId={queue.id}]"


def _units(text: str) -> memoryview:
    return memoryview(text.encode("utf-16", "surrogatepass")[2:]).cast("H")
