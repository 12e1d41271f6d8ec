"""Relapses: how often a member had to give up its session, since when, and why.

A member that cannot write to Kafka, or cannot read from it, loses everything and joins again, and
so on until that is repaired. Each time it logs what failed.

Kept by `watching`.
"""

from collections import deque
from typing import Final

from trimtab.session import Unheard

MEMORY_MS: Final = 600_000
"""Relapses of the last ten minutes belong together: a session is a few minutes at the most."""
_SERIES: Final = 100
"""How many are counted."""


class Relapses:
    """The relapses of one member."""

    def __init__(self) -> None:
        self._times: deque[int] = deque(maxlen=_SERIES)
        self._trouble: tuple[int, str] | None = None

    def failed(self, reason: str, now: int) -> None:
        """Something went wrong, which may be the cause."""
        self._trouble = now, reason

    def told(self, unheard: Unheard, now: int) -> str:
        """Word a relapse."""
        while self._times and now - self._times[0] > MEMORY_MS:
            self._times.popleft()
        self._times.append(now)
        return f"{self._what(unheard)}{self._why(now)}: the member joins again{self._often(now)}"

    def _what(self, unheard: Unheard) -> str:
        if unheard.unheard_ms >= unheard.unread_ms:
            return f"no heartbeat has reached Kafka for {_seconds(unheard.unheard_ms)}"
        return f"the log could not be read to its end for {_seconds(unheard.unread_ms)}"

    def _why(self, now: int) -> str:
        if self._trouble is None or now - self._trouble[0] > MEMORY_MS:
            return ""
        at, reason = self._trouble
        return f" (last trouble, {_seconds(now - at)} ago: {reason})"

    def _often(self, now: int) -> str:
        count = len(self._times)
        return f", {count} times in {_seconds(now - self._times[0])}" if count > 1 else ""


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1_000:.1f} s"
