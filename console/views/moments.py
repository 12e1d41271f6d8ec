"""Moments as the terminal says them, and as people type them.

Times are those of the log, in UTC and ISO 8601, so that they can be compared with those of any
other log. Called by the other views and by the commands that take a time.
"""

from datetime import UTC, datetime

_SECOND_MS = 1_000
_DAY_MS = 86_400_000
_MILLISECONDS = 100_000_000_000
"""In 1973; what is less is seconds since 1970, a year, or a duration without its unit."""
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


def read(text: str, now_ms: int, *, past: bool = False) -> int:
    """Read a moment: ISO 8601, a time of today, or milliseconds since 1970; all in UTC.

    Of what is ``past``, a time that has not come yet today is one of yesterday.

    Raises:
        ValueError: It is none.
    """
    if text.isdecimal() and int(text) < _MILLISECONDS:
        meant = "90s for so long ago, or 1767225600000 for milliseconds since 1970"
        raise ValueError(f"{text} has no unit: write {meant}")
    if text.isdecimal():
        return _checked(int(text))
    today = datetime.fromtimestamp(now_ms / _SECOND_MS, UTC).date().isoformat()
    for written, again_ms in ((text, 0), (f"{today}T{text}", _DAY_MS)):
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            continue
        zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        at_ms = _checked(round(zoned.timestamp() * _SECOND_MS))
        return at_ms - again_ms if past and at_ms > now_ms else at_ms
    raise ValueError(f"{text} is no time, such as 03:12, 2026-01-31T03:12 or 1767225600000")


def _checked(at_ms: int) -> int:
    if not 0 <= at_ms < _END_MS:
        raise ValueError("it must lie between 1970 and 9999")
    return at_ms
