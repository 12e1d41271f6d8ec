"""A binding whose grants are given and taken by hand, and topics for it to read."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from trimtab import Grant, QueueRef
from trimtab.kafka import ConsumerBinding
from trimtab.session import Profile

PATIENCE_S: Final = 20.0
_MOVING: Final = {
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
}
"""A broker's answers while a group's coordinator starts: the question may be asked again."""


class Reading:
    """A binding whose grants are given and taken by hand."""

    def __init__(self, servers: str, group: str, **options: Any) -> None:  # noqa: ANN401 - as of it
        settings = {"bootstrap.servers": servers, "group.id": group, "log_level": 2}
        self.binding = ConsumerBinding(settings, **options)
        self.lost: set[Grant] = set()
        """What the member would say that it does not own any more."""
        profile = Profile(group=group, member="m", topics=("work",))
        self.binding.attach(profile, lambda grants: frozenset(grants) - self.lost)
        self._group = group
        self._servers = servers

    def take(self, count: int) -> list[Message]:
        """Poll so many messages, which are in hand then."""
        found: list[Message] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < count and time.monotonic() < deadline:
            message = self.binding.poll(0.1)
            if message is not None:
                assert message.error() is None
                found.append(message)
        return found

    def read(self, count: int) -> list[tuple[int, int]]:
        """Handle so many messages: their partitions and offsets."""
        messages = self.take(count)
        assert self.binding.done(*messages)
        return [(it.partition() or 0, it.offset() or 0) for it in messages]

    def committed(self, queue: QueueRef) -> int:
        """What the group has committed."""
        return committed(self._servers, self._group, TopicPartition(queue.topic, queue.id))

    def waits_for(self, condition: Callable[[], bool]) -> None:
        """Poll, and expect no message, until something is true."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            assert self.binding.poll(0.05) is None


def committed(
    servers: str, group: str, place: TopicPartition, patience_s: float = PATIENCE_S
) -> int:
    """What a group has committed; a coordinator that has just started may not know yet."""
    settings = {"bootstrap.servers": servers, "group.id": group, "log_level": 0}
    deadline = time.monotonic() + patience_s
    with closing(Consumer(settings)) as consumer:
        while True:
            try:
                (found,) = consumer.committed([place], patience_s)
            except KafkaException as error:
                if error.args[0].code() not in _MOVING or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return found.offset


def fill(servers: str, topic: str) -> None:
    """Write five messages into each of two partitions."""
    producer = Producer({"bootstrap.servers": servers, "log_level": 2})
    for number in range(10):
        producer.produce(topic, value=b"%d" % number, partition=number % 2)
    assert producer.flush(PATIENCE_S) == 0
    producer.close()
