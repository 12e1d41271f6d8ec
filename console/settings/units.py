"""Durations and sizes as people write them: "10s", "250ms", "1MiB".

A bare number is refused: the reader of a file should not have to know the unit. Values are written
back in the largest unit that divides them, so that what `config show` prints can be read again.
"""

import re
from datetime import timedelta
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, WithJsonSchema

_DURATION_UNITS = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
}
_LONGEST = timedelta(days=36_500)
"""A century: a moment so far ahead still has a date (ISO 8601 has four digits for the year)."""
_SIZE_UNITS = {"GiB": 1024**3, "MiB": 1024**2, "KiB": 1024, "B": 1}
_QUANTITY = re.compile(r"(\d+) ?([A-Za-z]+)")

_DURATION_PATTERN = r"^\d+ ?(d|h|m|s|ms)$"
_SIZE_PATTERN = r"^\d+ ?(GiB|MiB|KiB|B)$"


def parse_duration(text: object) -> timedelta:
    """Read "10s"; units are ms, s, m, h and d."""
    if isinstance(text, timedelta):
        return text
    number, unit = _quantity(text, tuple(_DURATION_UNITS), "10s")
    if number > _LONGEST // _DURATION_UNITS[unit]:
        raise ValueError(f"must be at most {format_duration(_LONGEST)}")
    return number * _DURATION_UNITS[unit]


def format_duration(duration: timedelta) -> str:
    """Write a whole number of the largest unit that fits; nothing is "0s"."""
    if not duration:
        return "0s"
    unit = next((u for u, one in _DURATION_UNITS.items() if not duration % one), "ms")
    return f"{duration // _DURATION_UNITS[unit]}{unit}"


def milliseconds(duration: timedelta) -> int:
    """The whole milliseconds in ``duration``."""
    return duration // timedelta(milliseconds=1)


def parse_size(text: object) -> int:
    """Read "1MiB" as bytes; units are B, KiB, MiB and GiB."""
    number, unit = _quantity(text, tuple(_SIZE_UNITS), "1MiB")
    return number * _SIZE_UNITS[unit]


def format_size(size: int) -> str:
    """Write a whole number of the largest unit that fits."""
    unit = next(u for u, one in _SIZE_UNITS.items() if size % one == 0)
    return f"{size // _SIZE_UNITS[unit]}{unit}"


def _quantity(text: object, units: tuple[str, ...], example: str) -> tuple[int, str]:
    match = _QUANTITY.fullmatch(str(text).strip())
    if match is None or match[2] not in units:
        raise ValueError(f'must be a number and a unit ({", ".join(units)}), like "{example}"')
    return int(match[1]), match[2]


def _positive(duration: timedelta) -> timedelta:
    if not duration:
        raise ValueError("must be longer than zero")
    return duration


AUTO: Final = "auto"
"""In the place of a duration that the controller finds by itself."""


def _duration_or_auto(text: object) -> timedelta | str:
    return AUTO if text == AUTO else _positive(parse_duration(text))


def _format_duration_or_auto(duration: timedelta | str) -> str:
    return duration if isinstance(duration, str) else format_duration(duration)


Duration = Annotated[
    timedelta,
    BeforeValidator(parse_duration),
    AfterValidator(_positive),
    PlainSerializer(format_duration, return_type=str),
    WithJsonSchema({"type": "string", "pattern": _DURATION_PATTERN, "examples": ["10s", "250ms"]}),
]
AutoDuration = Annotated[
    timedelta | Literal["auto"],
    BeforeValidator(_duration_or_auto),
    PlainSerializer(_format_duration_or_auto, return_type=str),
    WithJsonSchema(
        {
            "anyOf": [{"type": "string", "pattern": _DURATION_PATTERN}, {"const": AUTO}],
            "examples": ["10s", AUTO],
        }
    ),
]
"""As ``Duration``, or "auto"."""

Wait = Annotated[
    timedelta,
    BeforeValidator(parse_duration),
    PlainSerializer(format_duration, return_type=str),
    WithJsonSchema({"type": "string", "pattern": _DURATION_PATTERN, "examples": ["0s", "5s"]}),
]
"""A duration that may be none at all."""

Size = Annotated[
    int,
    BeforeValidator(parse_size),
    PlainSerializer(format_size, return_type=str),
    WithJsonSchema({"type": "string", "pattern": _SIZE_PATTERN, "examples": ["1MiB", "512KiB"]}),
]
