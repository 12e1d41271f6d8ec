"""What the contest of producers makes of its slices."""

import pytest

from bench.producer.contest import Contest, Cost, Heard, Scenario, contest


class Sleepless:
    """A side that has delivered as soon as it sends."""

    def send(self, count: int, heard: Heard | None, pause_s: float) -> None:
        """Deliver."""
        assert pause_s == 0
        for _ in range(count if heard is not None else 0):
            assert heard is not None
            heard(None, None)


def test_rounds_are_compared_with_themselves() -> None:
    """The ratio is that of a round, so that drift of the machine hits both sides."""
    bare = [Cost(1.0, 10.0), Cost(2.0, 20.0), Cost(4.0, 40.0)]
    ours = [Cost(1.1, 11.0), Cost(2.2, 20.0), Cost(4.4, 60.0)]
    came_out = Contest(bare, ours)

    assert pytest.approx([1.1, 1.1, 1.1]) == came_out.ratios("processor")
    assert pytest.approx(1.1) == came_out.ratio("wall")


def test_the_first_round_does_not_count() -> None:
    """It warms up."""
    scenario = Scenario("x", callback=True, pause_s=0, messages=3)
    came_out = contest((Sleepless(), Sleepless()), scenario, 4)

    assert [4, 4] == [len(came_out.bare), len(came_out.ours)]
