"""At work: whether a controller is, by when controllers have said something last.

What a view shows is the last word of a controller, and looks the same however old it is. So each
time that a view is drawn, its watcher asks here. The first answer goes by the clock, as for those
who look once; the clock may be wrong, so later ones go by whether a controller says something new.

Called by every command that takes `--watch`. Its one rule: what is not known is said, too.
"""

import time
from collections.abc import Callable
from typing import Final

from console.errors import Failure
from console.published import Published
from console.views.controllers import SILENT_S, silence
from trimtab.protocol import Controller

HEARD_S: Final = 6.0
"""In this time each controller speaks."""
_AHEAD_MS: Final = 1_000
"""So much do clocks differ that are kept in step."""
_SILENT_MS: Final = round(1_000 * SILENT_S)

Words = list[tuple[int, Controller]]
"""When each controller has said something last, by the broker's clock, and what."""


class WordClock:
    """Tells the time by the broker's clock, as well as it is known here."""

    def __init__(self) -> None:
        self._newest_ms: int | None = None
        """When the last word came, by the broker's clock."""
        self._since = 0.0
        """Since when that is known here."""
        self.hears = False
        """Whether it came meanwhile."""

    def now_ms(self, said: Words) -> int:
        """Tell it by words that were read just now."""
        newest_ms, now = _newest(said), time.monotonic()
        if self._newest_ms is None or newest_ms > self._newest_ms:
            self.hears = self._newest_ms is not None
            self._newest_ms, self._since = newest_ms, now
        by_word_ms = newest_ms + round(1_000 * (now - self._since))
        return by_word_ms if self.hears else max(by_word_ms, _here_ms())


class AtWork:
    """Looks at one installation.

    Args:
        published: Where it publishes.
    """

    def __init__(self, published: Published) -> None:
        self._published, self._clock = published, WordClock()

    def remark(self) -> str | None:
        """Say that no controller is at work, or that it is not known; None: one is."""
        try:
            said = self._published.controllers()
        except Failure as error:  # what was asked for has been read, and is shown all the same
            return f"whether a controller is at work is not known: {error}"
        working = [it for it in said if it[1].role != "standby"]
        return silence(said, self._clock.now_ms(working))


def heard(read: Callable[[], Words]) -> tuple[Words, int]:
    """Read what controllers have said last, for who looks once; and what time it is for that.

    Where the newest word looks old, or of the future, the clock here may be wrong: then it goes by
    whether anybody speaks within a moment.
    """
    clock, said = WordClock(), read()
    now_ms, before_ms = clock.now_ms(said), _newest(said)
    if not said or -_AHEAD_MS <= _here_ms() - before_ms <= _SILENT_MS:
        return said, now_ms
    time.sleep(HEARD_S)
    said = read()
    now_ms = clock.now_ms(said)
    return said, now_ms if clock.hears else max(now_ms, before_ms + _SILENT_MS + _AHEAD_MS)


def _newest(said: Words) -> int:
    """Return when the last word came; 0: there is none."""
    return max((at_ms for at_ms, _ in said), default=0)


def _here_ms() -> int:
    """Tell the time by the clock here."""
    return time.time_ns() // 1_000_000
