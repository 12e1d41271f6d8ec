"""Clients of Kafka while somebody replaces the files of their certificate.

    monkeypatch.setattr(clients, "Producer", HalfWritten(Silent))

The first one is made, the second one finds half a file, and from the third on all is well again;
or later, where more of them find it.
"""

from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException


class HalfWritten:
    """Makes clients, or not.

    Args:
        make: Makes one.
        lacking: How many find half a file.
    """

    def __init__(self, make: Callable[..., object], lacking: int = 1) -> None:
        self._make, self._lacking, self.asked = make, lacking, 0

    def __call__(self, config: dict[str, Any], **more: object) -> object:
        """Make one."""
        self.asked += 1
        if 2 <= self.asked < 2 + self._lacking:
            raise KafkaException(KafkaError(KafkaError._INVALID_ARG, "key values mismatch"))  # noqa: SLF001 - its name
        return self._make(config, **more)
