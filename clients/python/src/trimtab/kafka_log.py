"""The log of Kafka clients, `trimtab.kafka`: what is said again and again is there once a minute.

While Kafka is away, librdkafka writes the same line twenty times a second for each client, and a
member has several. What a member itself has to say of that would be one line among thousands.

Used by everything that makes a client. What is new passes.
"""

import logging
import re
import time
from typing import Final

_EVERY_S: Final = 60.0
_KEPT: Final = 1_000
"""Texts that are remembered; all are forgotten when there are more."""
_NUMBER: Final = re.compile(r"\d+")
"""Texts that differ in numbers alone say the same, of another client or after another time."""


class Once(logging.Filter):
    """Passes a text if it has not been said for a minute; debugging passes always."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write this."""
        if record.levelno <= logging.DEBUG:
            return True
        text, now = _NUMBER.sub("#", record.getMessage()), time.monotonic()
        if now - self._said.get(text, -_EVERY_S) < _EVERY_S:
            return False
        if len(self._said) >= _KEPT:
            self._said.clear()
        self._said[text] = now
        return True


KAFKA_LOGGER: Final = logging.getLogger("trimtab.kafka")
KAFKA_LOGGER.addFilter(Once())
