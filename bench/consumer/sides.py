"""The two sides: a client's own loops, and ours over the same client.

Both look at each message's error, as a program must; ours does that inside. Used by the command. A
side is asked for the same number of messages as the other, of the same topic.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any, Final

from confluent_kafka import Consumer as Bare
from confluent_kafka import TopicPartition

from bench.consumer.granting import Granting
from trimtab import AsyncConsumer, Consumer
from trimtab.consuming.choice import ConsumerOptions

TOPIC: Final = "orders"
PARTITIONS: Final = 6
SIZE: Final = 500
WAIT_S: Final = 0.2

Loop = Callable[[int], None]
"""Reads so many messages, or a few more."""


@contextmanager
def polled(servers: str) -> Iterator[Loop]:
    """The client's `poll`, message by message."""
    with closing(_bare(servers)) as consumer:

        def read(count: int) -> None:
            while count > 0:
                message = consumer.poll(WAIT_S)
                if message is not None and message.error() is None:
                    count -= 1

        yield read


@contextmanager
def consumed(servers: str) -> Iterator[Loop]:
    """The client's `consume(500)`."""
    with closing(_bare(servers)) as consumer:

        def read(count: int) -> None:
            while count > 0:
                messages = consumer.consume(SIZE, WAIT_S)
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
        yield by_the_batch(consumer)


@contextmanager
def awaited(servers: str) -> Iterator[Loop]:
    """Ours on an event loop, message by message."""
    with asyncio.Runner() as runner:
        consumer = runner.run(_entered(AsyncConsumer(servers, **options_of(servers, "awaited"))))

        async def take(count: int) -> None:
            async for _ in consumer:
                count -= 1
                if count <= 0:
                    break

        try:
            yield lambda count: runner.run(take(count))
        finally:
            runner.run(consumer.__aexit__(None, None, None))


async def _entered(consumer: AsyncConsumer) -> AsyncConsumer:
    return await consumer.__aenter__()


def by_the_batch(consumer: Consumer) -> Loop:
    """A loop that reads by the batch."""
    batches = consumer.batches(SIZE, WAIT_S)

    def read(count: int) -> None:
        while count > 0:
            count -= len(next(batches))

    return read


def _bare(servers: str) -> Bare:
    consumer = Bare({"bootstrap.servers": servers, "group.id": "bare", "log_level": 2})
    consumer.assign([TopicPartition(TOPIC, it, 0) for it in range(PARTITIONS)])
    return consumer


def ours(servers: str, group: str, topic: str = TOPIC, **options: Any) -> Consumer:  # noqa: ANN401 - as of it
    """Ours, of a group of its own: it begins at the beginning."""
    return Consumer(servers, **options_of(servers, group, topic), **options)


def options_of(servers: str, group: str, topic: str = TOPIC) -> ConsumerOptions:
    """What ours is made with."""
    return {
        "group": group,
        "topics": [topic],
        "transport": Granting(servers, topic, PARTITIONS),
        "kafka": {"log_level": 2},
    }
