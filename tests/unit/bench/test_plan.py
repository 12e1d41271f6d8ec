"""The plan of the floor bench: turns that are fair to both sides."""

from collections import Counter

import pytest

from bench.floor.plan import FULL, QUICK, Plan, Side, Turn


def test_sides_take_turns_in_changing_order() -> None:
    """Whoever was first in a round is second in the next one."""
    expected = [
        Turn(0, Side.FLOOR),
        Turn(0, Side.TRIMTAB),
        Turn(1, Side.TRIMTAB),
        Turn(1, Side.FLOOR),
        Turn(2, Side.FLOOR),
        Turn(2, Side.TRIMTAB),
    ]
    assert expected == list(Plan(rounds=3, visits=1, warm_up=0).turns())


@pytest.mark.parametrize("plan", [FULL, QUICK])
def test_each_side_is_first_equally_often(plan: Plan) -> None:
    """A machine that gets slower within each round slows both sides alike."""
    turns = list(plan.turns())
    first = Counter(turn.side for turn in turns[::2])
    assert first[Side.FLOOR] == first[Side.TRIMTAB]


def test_the_full_run_has_a_hundred_samples() -> None:
    """A 99th percentile needs a hundred samples a scenario; a visit gives three."""
    assert FULL.rounds * FULL.visits * 3 >= 100
