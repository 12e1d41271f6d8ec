"""Catching up: a pipeline is frozen while beats go on, and thawed; how soon is it there again?

So a backlog is of members that it knows, at the rate at which they beat, as after an outage of the
controller. Used by ``scenes``. Its one rule: beats never stop, so it has to be faster than they.
"""

import time
from collections.abc import Callable
from typing import Final, Protocol

_POLL_S: Final = 0.5
_PATIENCE: Final = 10
"""Times as long as it was frozen: a pipeline that needs longer does not catch up."""
_LEAST_S: Final = 60.0


class Freezable(Protocol):
    """What can be taken off the cores for a while."""

    def freeze(self) -> None:
        """Take it off."""

    def thaw(self) -> None:
        """Let it go on."""


def caught_up_s(
    pipeline: Freezable, behind_s: Callable[[], float], frozen_s: float, enough_s: float
) -> float | None:
    """Freeze a pipeline, thaw it, and return how long it took from then on.

    Args:
        pipeline: Which.
        behind_s: Says how much the beats that wait are, in seconds.
        frozen_s: For how long it is frozen.
        enough_s: So little may wait when it has caught up.

    Returns:
        The seconds; None: it did not, in ten times as long as it was frozen.
    """
    pipeline.freeze()
    try:
        time.sleep(frozen_s)
    finally:
        pipeline.thaw()
    return there_after_s(behind_s, max(_LEAST_S, _PATIENCE * frozen_s), enough_s)


def there_after_s(behind_s: Callable[[], float], longest_s: float, enough_s: float) -> float | None:
    """Wait until so little waits; return how long that took, or None if it took too long."""
    began = time.monotonic()
    while (took := time.monotonic() - began) < longest_s:
        if behind_s() < enough_s:
            return took
        time.sleep(_POLL_S)
    return None
