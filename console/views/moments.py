"""Moments as the terminal says them, and as people type them.

Times are those of the log, in UTC and ISO 8601, so that they can be compared with those of any
other log. Called by the other views and by the commands that take a time.
"""

from datetime import UTC, datetime

_SECOND_MS = 1_000
_END_MS = 253_402_300_800_000
"""The year 10000: ISO 8601 has four digits for it."""
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))


def said(at_ms: int | None) -> str | None:
    """Write a moment, to the millisecond."""
    if at_ms is None:
        return None
    try:
        moment = datetime.fromtimestamp(at_ms / _SECOND_MS, UTC)
    except (OverflowError, OSError, ValueError):
        return f"{at_ms} ms"  # a record may say anything
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ago(duration_ms: int) -> str:
    """Write how long something is over, in its largest unit."""
    seconds = max(0, duration_ms) // _SECOND_MS
    size, unit = next((it for it in _UNITS if seconds >= it[0]), _UNITS[-1])
    return f"{seconds // size}{unit}"


def read(text: str, now_ms: int) -> int:
    """Read a moment: ISO 8601, a time of today, or milliseconds since 1970; all in UTC.

    Raises:
        ValueError: It is none.
    """
    if text.isdecimal():
        return _checked(int(text))
    today = datetime.fromtimestamp(now_ms / _SECOND_MS, UTC).date().isoformat()
    for written in (text, f"{today}T{text}"):
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            continue
        zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return _checked(round(zoned.timestamp() * _SECOND_MS))
    raise ValueError(f"{text} is no time, such as 03:12, 2026-01-31T03:12 or 1767225600000")


def _checked(at_ms: int) -> int:
    if not 0 <= at_ms < _END_MS:
        raise ValueError("it must lie between 1970 and 9999")
    return at_ms
