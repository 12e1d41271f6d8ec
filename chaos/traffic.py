"""The traffic: numbered messages, produced for as long as a round lasts.

What Kafka has acknowledged is written down, and must be seen. Each message goes to a partition of
the seed's choice, of those that there are by then. Its one rule: a message that Kafka does not take
in the end fails the round, or a round without messages would show nothing wrong.
"""

import threading
import time
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, Self

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from chaos.history import Recorder
from console.errors import ExitCode, Failure

_PATIENCE_S: Final = 60.0


class Traffic:
    """Produces while the ``with`` block runs, or until it is stopped."""

    def __init__(self, servers: str, topic: str, home: Path, rate: int, seed: int) -> None:
        self.partitions = 0
        self.acked: set[int] = set()
        self.ends: dict[int, int] = {}
        """What is to be committed of each queue in the end."""
        self.topic, self._rate, self._random = topic, rate, Random(seed)
        self._record = Recorder(home / "producer.events", "producer")
        settings = {"bootstrap.servers": servers, "log_level": 0, "linger.ms": 5}
        self._producer = Producer({**settings, "enable.idempotence": True})
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._failure: Exception | None = None
        """What has ended the thread."""
        self._refused: list[str] = []
        """Why messages were not taken."""

    def stop(self) -> None:
        """Produce nothing more, and wait for what is on its way.

        Raises:
            Failure: Not all of it was sent, or taken.
        """
        self._over.set()
        self._thread.join()
        left = self._producer.flush(_PATIENCE_S)
        if self._failure is not None:
            raise Failure(f"the producer has failed: {self._failure!r}", ExitCode.UNHEALTHY)
        if left or self._refused:
            why = self._refused[0] if self._refused else "no answer"
            text = f"{left + len(self._refused)} messages were not taken: {why}"
            raise Failure(text, ExitCode.UNHEALTHY)

    def _work(self) -> None:
        try:
            self._run()
        except Exception as error:  # noqa: BLE001 - raised by `stop`
            self._failure = error

    def _run(self) -> None:
        number, began = 0, time.monotonic()
        while not self._over.is_set():
            while number < (time.monotonic() - began) * self._rate:
                if not self._produce(number, self._random.randrange(self.partitions)):
                    break
                number += 1
            self._producer.poll(0.02)

    def _produce(self, number: int, queue: int) -> bool:
        """Send a message, unless the producer has not heard of this partition yet."""
        heard, value = partial(self._heard, number), str(number).encode()
        try:
            self._producer.produce(self.topic, value, partition=queue, on_delivery=heard)
        except KafkaException as error:
            if error.args[0].code() == KafkaError._UNKNOWN_PARTITION:  # noqa: SLF001 - its public name
                return False
            raise
        return True

    def _heard(self, number: int, error: KafkaError | None, message: Message) -> None:
        queue, offset = message.partition() or 0, message.offset()
        if error is not None:
            self._refused.append(error.str())
        elif offset is not None:
            self._record.add("acked", queue=queue, offset=offset, number=number)
            self.acked.add(number)
            self.ends[queue] = max(offset + 1, self.ends.get(queue, 0))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.stop()
        finally:
            self._producer.close()
            self._record.close()
