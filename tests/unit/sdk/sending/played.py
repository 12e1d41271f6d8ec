"""A producer of kafka-python that nobody reaches: tests say what comes of each message."""

import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from kafka.errors import KafkaTimeoutError


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
        self._metadata = SimpleNamespace(partitions_for_topic=lambda _: self.known)
        self._sender = SimpleNamespace(force_close=bool)

    def send(self, topic: str, *more: Any) -> object:  # noqa: ANN401 - as of it
        """Take a message."""
        self.sent.append(topic)
        self.headers.append(list(more[2] or ()))
        self.on_send()
        add, place = self.deliver.append, SimpleNamespace(partition=0)
        future = SimpleNamespace(topic_partition=place)
        return SimpleNamespace(add_callback=add, add_errback=self.on_error, _produce_future=future)

    def flush(self, timeout_s: float) -> None:
        """Wait in vain."""
        self.waited.append(timeout_s)
        self.on_wait()
        time.sleep(timeout_s)
        raise KafkaTimeoutError

    def close(self, _timeout_s: float) -> None:
        """It is closed."""
