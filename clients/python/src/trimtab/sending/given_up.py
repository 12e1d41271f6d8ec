"""Messages that failed without a callback: one log line a second, not one for each.

An application that passes no callback does not ask about a single message. But if many are lost,
its log should say so.

Called by the senders. Its one rule: at most a line a second.
"""

import logging
from typing import Final

from trimtab.clock import now_ms

_LOGGER: Final = logging.getLogger("trimtab")
_EVERY_MS: Final = 1_000


class GivenUp:
    """How many there were since the last line."""

    def __init__(self) -> None:
        self._count = 0
        self._say_at = 0

    def add(self, topic: str, tries: int, reason: str) -> None:
        """Count one, and say so when it is time."""
        self._count += 1
        now = now_ms()
        if now >= self._say_at:
            self._say_at = now + _EVERY_MS
            text = "given up: %d messages, the last one to topic %s after %d tries: %s"
            _LOGGER.warning(text, self._count, topic, tries, reason)
            self._count = 0
