"""The traffic: messages to all queues at a steady rate, and one to each queue that becomes free.

Without the latter a queue that changes hands in milliseconds would seldom have a message waiting,
and what was timed would be the wait for one. A message says when it was written. Its one rule: a
member cannot tell the two apart.
"""

import threading
import time
from collections.abc import Collection
from typing import Final, Self

from confluent_kafka import Producer

_RATE: Final = 5.0
"""Messages a second and queue."""


class Traffic:
    """Writes while the ``with`` block lasts."""

    def __init__(self, servers: str, topic: str, queues: int) -> None:
        self._topic, self._queues = topic, queues
        settings = {"bootstrap.servers": servers, "linger.ms": 0, "log_level": 0}
        self._producer = Producer(settings)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def write(self, queues: Collection[int]) -> None:
        """Write a message to each of these queues."""
        for queue in queues:
            self._producer.produce(self._topic, str(time.time_ns()).encode(), partition=queue)

    def _run(self) -> None:
        began, number = time.monotonic(), 0
        while not self._over.wait(0.01):
            due = int((time.monotonic() - began) * _RATE * self._queues)
            self.write([it % self._queues for it in range(number, due)])
            number = due
            self._producer.poll(0)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._producer.flush()
