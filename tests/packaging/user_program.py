"""A user's program, for `mypy --strict`: what the SDK's README shows, with all that it returns."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from confluent_kafka import Message

from trimtab import AsyncConsumer, Consumer, Grant, QueueRef

heard: list[object] = []


def told(grants: tuple[Grant, ...]) -> None:
    """A callback."""
    heard.extend((grant.queue.topic, grant.token) for grant in grants)


def each(consumer: Consumer, handle: Callable[[Message, int], None]) -> None:
    """Message by message."""
    for message in consumer:
        handle(message, consumer.token(message))


def lists(consumer: Consumer) -> Iterator[list[Message]]:
    """Batch by batch."""
    for batch in consumer.batches(100, "1s"):
        yield batch
        counted: bool = consumer.commit(batch)
        heard.extend([counted, consumer.commit(batch[-1]), consumer.commit()])


def main() -> None:
    """All options and answers."""
    with Consumer(
        "localhost:9092",
        group="billing",
        topics=["orders"],
        commit="manual",
        start=datetime(2026, 1, 1, tzinfo=UTC),
        max_poll_interval="1m",
        on_assigned=told,
        on_error=heard.append,
    ) as consumer:
        each(consumer, lambda message, token: heard.append((message.value(), token)))
        while consumer.running and not consumer.waiting:
            message: Message | None = consumer.poll(0.1)
            heard.extend([message, consumer.health.ready, consumer.health.queues])
        queue: QueueRef = consumer.assignment[0].queue
        consumer.pause(queue)
        consumer.resume(queue)
        consumer.seek(queue, 0)
        consumer.stop()


async def told_later(grants: tuple[Grant, ...]) -> None:
    """A callback."""
    told(grants)


async def main_with_asyncio() -> None:
    """The same on an event loop."""
    async with AsyncConsumer(
        "localhost:9092", group="billing", topics=["orders"], on_revoked=told_later
    ) as consumer:
        async for message in consumer:
            heard.extend([message.value(), consumer.token(message)])
        async for batch in consumer.batches(100, "1s"):
            counted: bool = await consumer.commit(batch)
            heard.extend([counted, await consumer.commit(batch[-1]), await consumer.commit()])
        polled: Message | None = await consumer.poll(0.1)
        await consumer.pause(consumer.assignment[0].queue)
        await consumer.seek(consumer.assignment[0].queue, 0)
        heard.extend([polled, consumer.running, consumer.waiting, consumer.health.ready])
        consumer.stop()


if __name__ == "__main__":
    main()
