"""Durations and sizes are written with their unit, and read back as they were written."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.settings.units import (
    format_duration,
    format_size,
    milliseconds,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("250ms", 250),
        ("10s", 10_000),
        ("5m", 300_000),
        ("2h", 7_200_000),
        ("7d", 604_800_000),
        (" 1 s ", 1000),
    ],
)
def test_durations_have_five_units(text: str, expected_ms: int) -> None:
    """From milliseconds to days; spaces do not matter."""
    assert expected_ms == milliseconds(parse_duration(text))


@pytest.mark.parametrize(
    ("number_ms", "written"),
    [(0, "0s"), (1, "1ms"), (1_500, "1500ms"), (90_000, "90s"), (3_600_000, "1h")],
)
def test_a_duration_is_written_in_the_largest_unit(number_ms: int, written: str) -> None:
    """None at all is so many seconds, not days."""
    assert written == format_duration(timedelta(milliseconds=number_ms))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("100B", 100), ("1KiB", 1024), ("1MiB", 1_048_576), ("2GiB", 2_147_483_648)],
)
def test_sizes_have_four_units(text: str, expected: int) -> None:
    """Binary units, named as such."""
    assert expected == parse_size(text)


@pytest.mark.parametrize(
    "text", ["10", 11, "", "s", "-1s", "1.5s", "10 parsecs", "1MB", None, "10sec"]
)
def test_everything_else_is_refused_with_an_example(text: object) -> None:
    """A number without a unit is as wrong as a unit without a number."""
    with pytest.raises(ValueError, match='like "10s"'):
        parse_duration(text)
    with pytest.raises(ValueError, match='like "1MiB"'):
        parse_size(text)


@given(st.integers(min_value=0, max_value=10**12))
def test_what_is_written_can_be_read(number: int) -> None:
    """Writing loses nothing, for any number of milliseconds and of bytes."""
    duration = timedelta(milliseconds=number)
    assert duration == parse_duration(format_duration(duration))
    assert number == parse_size(format_size(number))


@pytest.mark.parametrize(
    ("number", "expected"), [(90_000, "90s"), (60_000, "1m"), (86_400_000, "1d"), (1, "1ms")]
)
def test_the_largest_exact_unit_is_written(number: int, expected: str) -> None:
    """90 s is not 1.5 m."""
    assert expected == format_duration(timedelta(milliseconds=number))
