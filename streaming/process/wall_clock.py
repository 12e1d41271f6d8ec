"""The wall clock of this machine: whether somebody has set it back.

Spark asks it whether beats have waited long enough. After it was set back an hour, Spark would
leave them, and the ticks, for an hour; a source that begins anew does not remember what it read.

Used by ``query``. Its one rule: it is only compared with a clock that never goes back.
"""

import time
from collections.abc import Callable
from typing import Final

_TOLERATED_S: Final = 3.0
"""Beats wait for so much longer once, a part of any session. That is no reason to begin anew, above
all where two services set the clock by turns."""


def _ahead_s() -> float:
    return time.time() - time.monotonic()


class WallClock:
    """The wall clock, looked at again and again.

    Args:
        ahead_s: How far it is ahead of a clock that never goes back.
    """

    def __init__(self, ahead_s: Callable[[], float] = _ahead_s) -> None:
        self._ahead_s = ahead_s
        self._last = ahead_s()

    def was_set_back(self) -> bool:
        """Tell whether it was, since it was looked at last."""
        before, self._last = self._last, self._ahead_s()
        return before - self._last > _TOLERATED_S
