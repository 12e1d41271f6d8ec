"""A producer of kafka-python that nobody reaches: tests say what comes of each message."""

import threading
import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from kafka.errors import KafkaTimeoutError


class Thread(threading.Thread):
    """The client's, on which callbacks run; it does nothing by itself."""

    def __init__(self, add_topic: Callable[[str], object]) -> None:
        super().__init__()
        self.add_topic = add_topic
        self.force_close = bool
        self.work: Callable[[], object] = bool

    def run(self) -> None:
        """Do what is to be done on it."""
        self.work()


class Client:
    """A producer that settles nothing by itself."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.timeout_ms = options["delivery_timeout_ms"]
        self.sent: list[str] = []
        self.headers: list[list[tuple[str, bytes]]] = []
        self.waited: list[float] = []
        self.deliver: list[Callable[[object], object]] = []
        self.on_wait: Callable[[], object] = bool
        self.known: set[int] | None = {0}
        self.on_send: Callable[[], object] = bool
        self.on_error: Callable[[Callable[[Exception], object]], object] = bool
        self.looked_for: list[str] = []
        self._metadata = SimpleNamespace(
            partitions_for_topic=lambda _: self.known, topics=lambda: ["named"]
        )
        self._sender = Thread(self.looked_for.append)

    def send(self, topic: str, *more: Any) -> object:  # noqa: ANN401 - as of it
        """Take a message."""
        self.sent.append(topic)
        self.headers.append(list(more[2] or ()))
        self.on_send()
        add, place = self.deliver.append, SimpleNamespace(partition=0)
        future = SimpleNamespace(topic_partition=place)
        return SimpleNamespace(add_callback=add, add_errback=self.on_error, _produce_future=future)

    def call_back(self) -> None:
        """Report what was sent until now, on its own thread."""
        reports = list(self.deliver)
        self._sender.work = lambda: [it(SimpleNamespace(partition=0)) for it in reports]
        self._sender.start()
        self._sender.join()

    def flush(self, timeout_s: float) -> None:
        """Wait in vain."""
        self.waited.append(timeout_s)
        self.on_wait()
        time.sleep(timeout_s)
        raise KafkaTimeoutError

    def close(self, _timeout_s: float) -> None:
        """It is closed."""
