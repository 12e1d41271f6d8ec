"""The age of this process: how long a start has taken so far, as its user sees it.

Python and its imports are part of a start, so it counts from the process's beginning, as Linux has
it; elsewhere from where this module was loaded. Used by ``query``.
"""

import os
import time
from pathlib import Path
from typing import Final

_LOADED: Final = time.monotonic()
_STAT: Final = Path("/proc/self/stat")
_BEGUN: Final = 19
"""The field ``starttime`` of proc(5), in ticks since the machine was booted, after the name."""


def age_s() -> float:
    """Return for how many seconds this process has run."""
    try:
        begun = int(_STAT.read_text().rpartition(")")[2].split()[_BEGUN])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - begun / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError):
        return time.monotonic() - _LOADED
