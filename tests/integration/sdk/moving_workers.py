"""Consumers that move, in threads of a test, and what they are to work on."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from confluent_kafka import Message, Producer

from trimtab import AsyncMovingConsumer, Consumer, MovingConsumer

QUEUES = 8
"""Of the test's topic."""
EVERY_S = 0.01
"""A message, to each queue in turn."""
PATIENCE_S = 60.0


class Seen(NamedTuple):
    """A message that was handled."""

    at: float
    queue: int
    number: int
    token: int


class Worker:
    """A consumer with its loop in a thread, or with an event loop in one."""

    def __init__(self, consumer: Consumer | AsyncMovingConsumer, *, manual: bool) -> None:
        self.consumer = consumer
        self.seen: list[Seen] = []
        self._manual = manual
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        match self.consumer:
            case AsyncMovingConsumer() as consumer:
                asyncio.run(self._work_on_a_loop(consumer))
            case consumer:
                self._work(consumer)

    def _work(self, made: Consumer) -> None:
        with made as consumer:
            for message in consumer:
                self._see(message)
                if self._manual:
                    consumer.commit(message)

    async def _work_on_a_loop(self, made: AsyncMovingConsumer) -> None:
        async with made as consumer:
            async for message in consumer:
                self._see(message)
                if self._manual:
                    await consumer.commit(message)

    def _see(self, message: Message) -> None:
        number, queue = int(message.value() or b""), message.partition() or 0
        token = self.consumer.token(message)
        self.seen.append(Seen(time.monotonic(), queue, number, token))

    @property
    def queues(self) -> set[int]:
        """What it works on."""
        return {it.queue.id for it in self.consumer.assignment}

    @contextmanager
    def at_work(self) -> Iterator["Worker"]:
        """While the block runs."""
        self._thread.start()
        try:
            yield self
        finally:
            self.consumer.stop()
            self._thread.join()


class Traffic:
    """Numbers, all the time."""

    def __init__(self, servers: str, topic: str) -> None:
        self.count = 0
        self._topic, self._over = topic, threading.Event()
        self._producer = Producer({"bootstrap.servers": servers, "log_level": 0})
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._over.wait(EVERY_S):
            value = str(self.count).encode()
            self._producer.produce(self._topic, value, partition=self.count % QUEUES)
            self._producer.poll(0)
            self.count += 1
        self._producer.flush()
        self._producer.close()

    @contextmanager
    def flowing(self) -> Iterator["Traffic"]:
        """While the block runs."""
        self._thread.start()
        try:
            yield self
        finally:
            self.stop()

    def stop(self) -> None:
        """No more; all were acknowledged."""
        self._over.set()
        self._thread.join()


def member(number: int, servers: str, group: str, topic: str, prefix: str) -> Worker:
    """Make one that can move."""
    kind = MovingConsumer if number % 2 else AsyncMovingConsumer
    consumer = kind(
        servers,
        group=group,
        topics=[topic],
        prefix=prefix,
        member_id=f"w{number}",
        commit="manual" if number == 1 else "auto",
        kafka={"log_level": 0},
    )
    return Worker(consumer, manual=number == 1)


def wait(condition: Callable[[], bool]) -> None:
    """Wait until something is true: a member joins, a rebalance is over."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
