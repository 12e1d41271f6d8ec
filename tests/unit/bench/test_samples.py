"""The statistics of the floor bench."""

import pytest

from bench.floor.plan import Scenario, Side
from bench.floor.samples import Sample, compare, percentile_99


def samples(side: Side, number: int, *times: float) -> list[Sample]:
    """Samples of one side in one round."""
    return [Sample(side, Scenario.IDLE, number, "join", time) for time in times]


def test_the_headline_divides_medians_of_all_samples() -> None:
    """A single slow answer does not move the ratio."""
    both = compare(
        samples(Side.FLOOR, 0, 100, 100, 100) + samples(Side.TRIMTAB, 0, 120, 120, 9_000)
    )
    assert both.ratio == pytest.approx(1.2)


def test_rounds_are_compared_each_by_itself() -> None:
    """A slow minute slows both sides of its round, and leaves their ratio alone."""
    both = compare(
        samples(Side.FLOOR, 0, 100)
        + samples(Side.TRIMTAB, 0, 110)
        + samples(Side.TRIMTAB, 1, 240)
        + samples(Side.FLOOR, 1, 200)
    )
    assert both.rounds == pytest.approx([1.1, 1.2])


def test_sides_are_kept_apart() -> None:
    """Each side's times are its own, in the order in which they were measured."""
    both = compare(samples(Side.TRIMTAB, 0, 3, 1) + samples(Side.FLOOR, 0, 2))
    assert (both.floor, both.trimtab) == ([2], [3, 1])


def test_one_in_a_hundred_is_beyond_the_99th_percentile() -> None:
    """Of 1 to 101 ms, one sample is above 100 ms."""
    assert percentile_99([float(time) for time in range(1, 102)]) == pytest.approx(100)
