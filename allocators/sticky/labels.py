"""What the options say of single queues: a weight, a rack.

Written as a table by topic. What stands there holds for every queue of the topic, or it is a list
of ``[broker, id, label]``, for those queues only:

    {"orders": 5, "payments": [["", 0, 40], ["", 1, 3]]}

Called by the registry; asked by ``weighted`` and ``homes``. A queue by itself counts before its
topic.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from allocators.options import BadOption, Options, queue_of
from rebalance.ids import Queue, TopicName

Label = TypeVar("Label")


@dataclass(frozen=True, slots=True)
class Labels(Generic[Label]):
    """A label for each queue."""

    otherwise: Label
    by_topic: Mapping[TopicName, Label]
    by_queue: Mapping[Queue, Label]

    def of(self, queue: Queue) -> Label:
        """Return the queue's label."""
        label = self.by_queue.get(queue)
        return self.by_topic.get(queue.topic, self.otherwise) if label is None else label


def weights(options: Options) -> Labels[int]:
    """Take the option ``queue_weights``: integers from 1, and 1 for what it does not name."""
    return _labels(options, "queue_weights", 1, _weight)


def racks(options: Options) -> Labels[str]:
    """Take the option ``queue_racks``; a queue that it does not name has none."""
    return _labels(options, "queue_racks", "", _rack)


def _labels(
    options: Options, name: str, otherwise: Label, read: Callable[[object], Label]
) -> Labels[Label]:
    by_topic: dict[TopicName, Label] = {}
    by_queue: dict[Queue, Label] = {}
    table = options.inside(name) if options.given(name) else Options({})
    for topic in table:
        said = table.raw(topic)
        if not isinstance(said, list | tuple):
            by_topic[TopicName(topic)] = read(said)
            continue
        for entry in said:
            broker, number, label = _entry(entry, name)
            by_queue[queue_of([topic, broker, number], name)] = read(label)
    return Labels(otherwise, by_topic, by_queue)


def _entry(entry: object, name: str) -> tuple[object, object, object]:
    match entry:
        case [broker, number, label]:
            return broker, number, label
        case _:
            raise BadOption(f"{name}: what is said of one queue must be [broker, id, label]")


def _weight(said: object) -> int:
    if not isinstance(said, int) or isinstance(said, bool) or said < 1:
        raise BadOption("queue_weights: a weight must be an integer from 1")
    return said


def _rack(said: object) -> str:
    if not isinstance(said, str):
        raise BadOption("queue_racks: a rack must be a string")
    return said
