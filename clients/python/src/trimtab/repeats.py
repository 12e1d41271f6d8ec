"""Repeats: whether a text has been said lately. What lasts is then not told at every look.

Used by whoever reports trouble: `troubles`, the `mover` of a consumer, the `keeper` of a producer.
"""

from typing import Final

MOST: Final = 100
"""Texts. Some are strangers', and one that is different each time must not fill the memory."""


class Repeats:
    """Remembers what was said within a span of time; times come from the caller."""

    def __init__(self, span_ms: int) -> None:
        self._span_ms = span_ms
        self._said: dict[str, int] = {}

    def is_new(self, text: str, now: int) -> bool:
        """Say whether it has not been said within the span, and remember it."""
        self._said = {it: at for it, at in self._said.items() if now - at < self._span_ms}
        if is_new := text not in self._said:
            if len(self._said) == MOST:
                del self._said[next(iter(self._said))]  # the oldest
            self._said[text] = now
        return is_new
