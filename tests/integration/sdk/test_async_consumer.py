"""A consumer on an event loop and a real broker: nothing is lost, and the loop always runs."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from confluent_kafka import Message, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.application import releases
from tests.builders.event_loop import comes, run_watched
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from tests.integration.readings import committed, fill
from trimtab import AsyncConsumer
from trimtab.transports import Client as Library

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

Place = tuple[int, int]


class Controlled:
    """A consumer, and a controller that is a test."""

    def __init__(self, kafka: EmbeddedKafka, topic: str, library: Library) -> None:
        self.controller = MemoryTransport(topic)
        self.consumer = AsyncConsumer(
            kafka.bootstrap_servers,
            group=GROUP,
            topics=[topic],
            transport=self.controller,
            client=library,
            kafka={"log_level": 2} if library == "confluent" else {},
            commit_interval="50ms",
        )
        self._servers, self._topic = kafka.bootstrap_servers, topic

    def committed(self, number: int) -> int:
        """What the group has committed."""
        return committed(self._servers, GROUP, TopicPartition(self._topic, number))


@pytest.fixture
def controlled(kafka: EmbeddedKafka, work: str, library: Library) -> Controlled:
    """A consumer of a topic with two partitions and five messages in each."""
    return Controlled(kafka, work, library)


async def one_batch(
    consumer: AsyncConsumer, size: int, loops: list[AsyncIterator[list[Message]]]
) -> list[Message]:
    """Go on with the loop that there is, or begin one."""
    if not loops:
        loops.append(consumer.batches(size, "1ms"))
    try:
        return await anext(loops[0])
    except asyncio.CancelledError:
        loops.clear()  # it has ended with that
        raise


@pytest.mark.parametrize(
    ("library", "seed", "beside"),
    [
        ("confluent", 0, "batches"),
        ("confluent", 1, "batches"),
        ("kafka-python", 2, "batches"),
        ("confluent", 3, "loop"),
    ],
)
def test_tasks_that_are_cancelled_lose_nothing_and_repeat_nothing(
    kafka: EmbeddedKafka,
    work: str,
    controlled: Controlled,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    beside: str,
) -> None:
    """Whenever that is: also when the message is on its way from the thread that took it."""
    monkeypatch.setattr("trimtab.consuming.awaiting._BREATH_S", 0.0)  # each message comes that way
    rng, seen = random.Random(seed), list[Place]()
    loops: list[AsyncIterator[list[Message]]] = []
    for _ in range(19):
        fill(kafka.bootstrap_servers, work)

    async def take(consumer: AsyncConsumer, loop: AsyncIterator[Message]) -> None:
        if rng.random() < 0.5:
            messages = [await consumer.poll("1h")]
        elif beside == "loop":
            messages = [await anext(loop)]
        else:
            messages = [*await one_batch(consumer, rng.randrange(1, 4), loops)]
        seen.extend((it.partition() or 0, it.offset() or 0) for it in messages if it is not None)

    async def play() -> None:
        async with controlled.consumer as consumer:
            controlled.controller.assign(1, hold=[(0, 1), (1, 1)])
            loop = aiter(consumer)
            while len(seen) < 200:
                task = asyncio.create_task(take(consumer, loop))
                for _ in range(rng.randrange(8)):
                    await asyncio.sleep(rng.choice([0, 0, 0.0002]))
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            consumer.stop()
            assert await consumer.poll() is None

    run_watched(play)

    assert [(at, offset) for at in (0, 1) for offset in range(100)] == sorted(seen)
    assert (100, 100) == (controlled.committed(0), controlled.committed(1))


def test_the_event_loop_runs_while_a_queue_is_handed_over(controlled: Controlled) -> None:
    """The release waits for the message in hand, and nothing else does."""

    async def play() -> None:
        async with controlled.consumer as consumer:
            controlled.controller.assign(1, hold=[(0, 1)])
            message = await anext(consumer)
            controlled.controller.assign(2, hold=[(1, 1)], give=[(0, 1)])
            await comes(lambda: consumer.waiting)
            await asyncio.sleep(1.2)
            waited = releases(controlled.controller)
            following = await anext(consumer)
            await comes(lambda: releases(controlled.controller))

            assert [] == waited
            assert [(0, 0), (1, 0)] == [
                (it.partition(), it.offset()) for it in (message, following)
            ]

    run_watched(play)

    (release, *_) = releases(controlled.controller)
    assert [(0, 1)] == [(it.id, it.position) for it in release.queues]
    assert (1, 0) == (controlled.committed(0), controlled.committed(1))
