"""The two sides: confluent-kafka's own loops, and ours over the same client.

Both look at each message's error, as a program must; ours does that inside. Used by the command.
Its one rule: a side is asked for the same number of messages as the other, of the same topic.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any, Final

from confluent_kafka import Consumer as Bare
from confluent_kafka import TopicPartition

from bench.consumer.granting import Granting
from trimtab import Consumer

TOPIC: Final = "orders"
PARTITIONS: Final = 6
SIZE: Final = 500
_WAIT_S: Final = 0.2

Loop = Callable[[int], None]
"""Reads so many messages, or a few more."""


@contextmanager
def polled(servers: str) -> Iterator[Loop]:
    """The client's `poll`, message by message."""
    with closing(_bare(servers)) as consumer:

        def read(count: int) -> None:
            while count > 0:
                message = consumer.poll(_WAIT_S)
                if message is not None and message.error() is None:
                    count -= 1

        yield read


@contextmanager
def consumed(servers: str) -> Iterator[Loop]:
    """The client's `consume(500)`."""
    with closing(_bare(servers)) as consumer:

        def read(count: int) -> None:
            while count > 0:
                messages = consumer.consume(SIZE, _WAIT_S)
                count -= len([it for it in messages if it.error() is None])

        yield read


@contextmanager
def iterated(servers: str) -> Iterator[Loop]:
    """Ours, message by message."""
    with ours(servers, "iterated") as consumer:
        messages = iter(consumer)

        def read(count: int) -> None:
            for _ in islice(messages, count):
                pass

        yield read


@contextmanager
def batched(servers: str) -> Iterator[Loop]:
    """Ours, by the batch."""
    with ours(servers, "batched") as consumer:
        batches = consumer.batches(SIZE, _WAIT_S)

        def read(count: int) -> None:
            while count > 0:
                count -= len(next(batches))

        yield read


def _bare(servers: str) -> Bare:
    consumer = Bare({"bootstrap.servers": servers, "group.id": "bare", "log_level": 2})
    consumer.assign([TopicPartition(TOPIC, it, 0) for it in range(PARTITIONS)])
    return consumer


def ours(servers: str, group: str, topic: str = TOPIC, **options: Any) -> Consumer:  # noqa: ANN401 - as of it
    """Ours, of a group of its own: it begins at the beginning."""
    return Consumer(
        servers,
        group=group,
        topics=[topic],
        transport=Granting(servers, topic, PARTITIONS),
        kafka={"log_level": 2},
        **options,
    )
