"""From when to when, as it is typed."""

from pathlib import Path
from typing import Final

import pytest

from console.commands import options
from console.commands.options import as_given, moment_of, past_of, span_of

NOON_MS: Final = 1_767_268_800_000
"""2026-01-01, 12:00 UTC."""
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is noon."""
    monkeypatch.setattr(options, "now_ms", lambda: NOON_MS)


@pytest.mark.parametrize(
    ("since", "until", "hours"),
    [
        (None, None, (-24, None)),
        (None, "3d", (-96, -72)),
        (None, "23:00", (-37, -13)),
        ("2d", None, (-48, None)),
        ("22:00", "23:00", (-14, -13)),
        ("10:00", "11:00", (-2, -1)),
        ("11:00", "13:00", (-1, 1)),
        ("22:00", "03:00", (-14, -9)),
    ],
)
def test_a_time_alone_is_the_last_one_and_a_day_ends_where_it_is_said(
    since: str | None, until: str | None, hours: tuple[int, int | None]
) -> None:
    """At noon 22:00 is yesterday evening's; three days ago the last day is no help."""
    begin, end = (None if it is None else NOON_MS + it * HOUR_MS for it in hours)

    assert (begin, end) == span_of(since, until, back="1d")


def test_what_a_log_is_asked_for_has_been() -> None:
    """But a pause may end this evening."""
    assert NOON_MS - DAY_MS + HOUR_MS == past_of("--since", "13:00")
    assert NOON_MS + HOUR_MS == moment_of("--until", "13:00")
    assert NOON_MS + 1_000 == past_of("--at", "2026-01-01T12:00:01Z")  # of a clock that is ahead
    assert past_of("--at", None) is None


def test_settings_are_typed_again_but_for_secrets_and_the_policy() -> None:
    """What undoes a command goes where that went; its line is no place for passwords."""
    assert "" == as_given(None, None)
    given = [
        "topics.prefix=t.",
        "kafka.options.sasl.username=ann b",
        "kafka.options.sasl.password=hunter2",
        'kafka.options={"sasl.password": "hunter2"}',
        "redis.url=redis://ann:hunter2@h/0",
        "policy.strategy=AVG",
    ]
    told = "--set topics.prefix=t. --set 'kafka.options.sasl.username=ann b'"
    assert f"--config 'our own.toml' {told}" == as_given(Path("our own.toml"), given)
