"""Messages that failed without a callback: one log line a second, not one for each.

An application that passes no callback does not ask about a single message. But if many are lost,
its log should say so.

Called by the senders. Its one rule: a line a second at most, and in the end all are counted.
"""

import logging
import threading
from typing import Final

from trimtab.clock import now_ms

_LOGGER: Final = logging.getLogger("trimtab")
_EVERY_MS: Final = 1_000


class GivenUp:
    """How many there were since the last line, and what the last one was."""

    def __init__(self) -> None:
        self._count = 0
        self._last = ("", 0, "")
        self._say_at = 0
        self._lock = threading.Lock()
        """Of all that: messages fail on several threads."""

    def add(self, topic: str, tries: int, reason: str) -> None:
        """Count one: those that fail at the same moment are told in one line."""
        with self._lock:
            self._count += 1
            self._last = topic, tries, reason

    def tell(self) -> None:
        """Say how many there were, if it is time; called again and again."""
        if self._count and now_ms() >= self._say_at:
            self.tell_all()

    def tell_all(self) -> None:
        """Say how many there were: nobody will ask again soon."""
        with self._lock:
            count, self._count = self._count, 0
            topic, tries, reason = self._last
        if count:
            self._say_at = now_ms() + _EVERY_MS
            text = "given up: %d messages, the last one to topic %s after %d tries: %s"
            _LOGGER.warning(text, count, topic, tries, reason)
