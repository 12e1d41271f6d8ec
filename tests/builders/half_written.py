"""Clients of Kafka while somebody replaces the files of their certificate.

    monkeypatch.setattr(clients, "Producer", HalfWritten(Silent))

The first one is made, the second one finds half a file, and from the third on all is well again.
"""

from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException


class HalfWritten:
    """Makes clients, or not.

    Args:
        make: Makes one.
    """

    def __init__(self, make: Callable[..., object]) -> None:
        self._make, self.asked = make, 0

    def __call__(self, config: dict[str, Any], **more: object) -> object:
        """Make one."""
        self.asked += 1
        if self.asked == 2:
            raise KafkaException(KafkaError(KafkaError._INVALID_ARG, "key values mismatch"))  # noqa: SLF001 - its name
        return self._make(config, **more)
