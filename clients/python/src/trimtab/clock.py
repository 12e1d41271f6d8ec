"""The shell's clock: milliseconds that only go forward, and that go on while the machine sleeps.

A laptop that was shut or a virtual machine that was paused must find its session gone. Python's
`time.monotonic` stands still meanwhile on Linux, so the clock of the time since boot is used there.
"""

import time
from typing import Final

_SINCE_BOOT: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)


def now_ms() -> int:
    """The time since some fixed moment."""
    nanoseconds = time.monotonic_ns() if _SINCE_BOOT is None else time.clock_gettime_ns(_SINCE_BOOT)
    return nanoseconds // 1_000_000


def wall_ms() -> int:
    """The time of day: for naming an incarnation, never for measuring."""
    return time.time_ns() // 1_000_000
