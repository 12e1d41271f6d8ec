"""A wall clock that is set back is noticed once; one that is set on, or slowed down, is not."""

import pytest

from streaming.process.wall_clock import WallClock


@pytest.mark.parametrize(
    ("ahead_s", "said"),
    [
        ([100.0, 100.0, 100.0], [False, False]),
        ([100.0, -3500.0, -3500.0], [True, False]),
        ([100.0, 3700.0, 3700.0], [False, False]),
        ([100.0, 3700.0, 100.0], [False, True]),
        ([100.0, 99.5, 99.0, 98.5, 98.0], [False, False, False, False]),
    ],
    ids=["it runs", "set back", "set on", "set on and back", "a little at a time"],
)
def test_only_a_step_back_is_noticed(ahead_s: list[float], said: list[bool]) -> None:
    """Each is told once; whoever began anew after it has nothing to fear."""
    given = iter(ahead_s)
    clock = WallClock(lambda: next(given))

    assert said == [clock.was_set_back() for _ in said]
