"""At work: whether a controller is, for those who look again and again.

What a view shows is the last word of a controller, and looks the same however old it is. So each
time that a view is drawn, its watcher asks here. The first answer goes by the clock, as for those
who look once; the clock may be wrong, so later ones go by whether a controller says something new.

Called by every command that takes `--watch`. Its one rule: what is not known is said, too.
"""

import time
from collections.abc import Iterable

from console.errors import Failure
from console.published import Published
from console.views.controllers import silence
from trimtab.protocol import Controller


class AtWork:
    """Looks at one installation.

    Args:
        published: Where it publishes.
    """

    def __init__(self, published: Published) -> None:
        self._published = published
        self._newest_ms: int | None = None
        """When the last word came, by the broker's clock."""
        self._since, self._hears = 0.0, False
        """Since when that is known here, and whether it came meanwhile."""

    def remark(self) -> str | None:
        """Say that no controller is at work, or that it is not known; None: one is."""
        try:
            said = self._published.controllers()
        except Failure as error:  # what was asked for has been read, and is shown all the same
            return f"whether a controller is at work is not known: {error}"
        return silence(said, self._now_ms(said))

    def _now_ms(self, said: Iterable[tuple[int, Controller]]) -> int:
        """Tell the time by the broker's clock, as well as it is known here."""
        newest_ms = max((at_ms for at_ms, it in said if it.role != "standby"), default=0)
        now = time.monotonic()
        if self._newest_ms is None or newest_ms > self._newest_ms:
            self._hears = self._newest_ms is not None
            self._newest_ms, self._since = newest_ms, now
        by_word_ms = newest_ms + round(1_000 * (now - self._since))
        return by_word_ms if self._hears else max(by_word_ms, time.time_ns() // 1_000_000)
