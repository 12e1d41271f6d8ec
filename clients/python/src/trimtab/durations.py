"""Durations as people write them: "10s", "1.5m", "250ms"; a plain number counts seconds.

Used wherever the SDK takes a time from its user. Inside, and on the wire, times are milliseconds.
"""

import math
import re
from typing import Final

from trimtab.errors import ConfigurationError

_UNITS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
_LONGEST_MS: Final = 36_500 * 24 * _UNITS["h"]
"""A hundred years: as long as for ever, and what a clock and a wait can take."""
_FORM: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)")


def milliseconds(name: str, value: object, least: int = 0) -> int:
    """Read a duration; `name` is what the user calls it."""
    if isinstance(value, str):
        match = _FORM.fullmatch(value.strip())
        if match is None:
            raise ConfigurationError(f'{name}: "{value}" is not a duration; write "10s" or "250ms"')
        duration = float(match[1]) * _UNITS[match[2]]
    elif isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        duration = value * 1_000
    else:
        raise ConfigurationError(f'{name}: {value!r} is not a duration; write "10s", or seconds')
    duration = round(max(-1, min(duration, _LONGEST_MS)))
    if duration < least:
        raise ConfigurationError(f"{name}: {value} is too short; it must be at least {least} ms")
    return duration
