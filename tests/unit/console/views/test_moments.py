"""Moments as people type them and read them."""

import pytest

from console.views.moments import ago, read, said

NOON_MS = 1_767_268_800_000
"""2026-01-01, 12:00 UTC."""


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1767225600000", 1_767_225_600_000),
        ("2026-01-01", 1_767_225_600_000),
        ("2026-01-01T00:00:01+00:00", 1_767_225_601_000),
        ("03:12", 1_767_225_600_000 + (3 * 60 + 12) * 60_000),
    ],
)
def test_a_moment_is_read_in_the_ways_that_people_write_it(text: str, moment: int) -> None:
    """A time alone is one of today, and all are in UTC."""
    assert moment == read(text, NOON_MS)


def test_what_is_no_moment_is_refused_with_examples() -> None:
    """So that the next try is right."""
    with pytest.raises(ValueError, match="yesterday is no time, such as 03:12"):
        read("yesterday", NOON_MS)


@pytest.mark.parametrize("text", ["99999999999999999999", "0001-01-01", "253402300800000"])
def test_a_moment_that_no_log_has_is_refused(text: str) -> None:
    """Kafka would take some of them for something else."""
    with pytest.raises(ValueError, match="must lie between 1970 and 9999"):
        read(text, NOON_MS)


@pytest.mark.parametrize("text", ["90", "2026", "1767225600", "20260101"])
def test_a_number_without_a_unit_is_refused(text: str) -> None:
    """Seconds would be a day in 1970, and the answer an empty table."""
    with pytest.raises(ValueError, match="has no unit: write 90s for so long ago"):
        read(text, NOON_MS)


def test_moments_are_written_in_utc() -> None:
    """To the millisecond; one that no calendar has is left as a number."""
    assert "2026-01-01T12:00:00.000Z" == said(NOON_MS)
    assert "9223372036854775807 ms" == said(2**63 - 1)
    assert said(None) is None


@pytest.mark.parametrize(
    ("duration_ms", "text"),
    [(-5, "0s"), (999, "0s"), (61_000, "1m"), (7_200_000, "2h"), (2 * 86_400_000, "2d")],
)
def test_a_duration_is_written_in_its_largest_unit(duration_ms: int, text: str) -> None:
    """People compare hours, not milliseconds."""
    assert text == ago(duration_ms)
