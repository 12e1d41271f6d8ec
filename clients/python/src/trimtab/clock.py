"""The shell's clock: milliseconds that only go forward, and that go on while the machine sleeps.

After a laptop was shut or a virtual machine was paused, the member must find its session expired.
On Linux, `time.monotonic` stands still meanwhile, so the clock of the time since boot is used
there.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Final

_SINCE_BOOT: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)


def now_ms() -> int:
    """The time since some fixed moment."""
    nanoseconds = time.monotonic_ns() if _SINCE_BOOT is None else time.clock_gettime_ns(_SINCE_BOOT)
    return nanoseconds // 1_000_000


def wall_ms() -> int:
    """The time of day: for naming an incarnation, never for measuring."""
    return time.time_ns() // 1_000_000


_BEGAN_MS: Final = wall_ms() - now_ms()


def steady_ms() -> int:
    """The time of day when this process began, and what has passed since.

    For measuring what Kafka's times are compared with, too: the time of day may be set back.
    """
    return _BEGAN_MS + now_ms()


now_s: Final[Callable[[], float]] = (
    time.monotonic if _SINCE_BOOT is None else partial(time.clock_gettime, _SINCE_BOOT)
)
"""The same in seconds, to be asked for each message: it calls no code of ours."""
