"""What a controller's ticks show to be wrong with it."""

import pytest

from console.views.ticks import BEHIND, of_ticks
from tests.unit.console.views.published_records import LIFE, START_MS
from trimtab.protocol import Tick

NOW_MS = START_MS + 120_000


@pytest.mark.parametrize(
    ("age_ms", "silent", "seen", "expected"),
    [
        (1_000, (), 99, []),
        (11_000, (), 99, []),
        (11_000, (0, 1), 99, ["its last tick is 11s old, and no other came meanwhile"]),
        (-60_000, (0, 1), 99, ["its last tick is 0s old, and no other came meanwhile"]),
        (1_000, (1,), 99, ["no tick comes in these partitions of heartbeats, but in others: 1"]),
        (1_000, (7,), 99, ["no tick comes in these partitions of heartbeats, but in others: 7"]),
        (
            1_000,
            (),
            100 - BEHIND - 1,
            ["31 ticks are written and not decided on: it is behind, or starts"],
        ),
    ],
    ids=["well", "a fast clock", "silent", "a slow clock", "in part", "for long", "behind"],
)
def test_a_controller_that_is_silent_or_behind_is_found(
    age_ms: int, silent: tuple[int, ...], seen: int, expected: list[str]
) -> None:
    """By its ticks: they come once a second, and say how far it has come."""
    tick = Tick(controller="c", number=100, start=LIFE, seen=seen)
    ticks = {0: (NOW_MS - age_ms, tick), 1: (NOW_MS - age_ms - 500, tick)}

    assert expected == [it.finding for it in of_ticks(ticks, silent, NOW_MS)]


def test_no_controller_at_all_is_found() -> None:
    """Nothing else would say so: what was published stays as it was."""
    (found,) = of_ticks({}, (0, 1), NOW_MS)
    assert found.finding.startswith("no tick")
