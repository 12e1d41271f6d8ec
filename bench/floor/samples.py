"""Samples and what is computed from them; pure.

Two ratios are given for each scenario. The headline divides the medians of all samples. Beside it
stand the smallest and the largest of the ratios of single rounds: where they are far apart, the
machine was busy with something else, and the headline is worth less.

Called by ``report``. Its one rule: a figure is computed from samples, never from other figures.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from bench.floor.plan import Scenario, Side


@dataclass(frozen=True, slots=True)
class Sample:
    """One question and how long its answer took."""

    side: Side
    scenario: Scenario
    round: int
    question: str
    """What was sent, such as "join"."""
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides in one scenario, or a part of one."""

    floor: Sequence[float]
    trimtab: Sequence[float]
    rounds: Sequence[float]
    """The ratio of medians, round by round."""

    @property
    def ratio(self) -> float:
        """How far trimtab's median is above the floor's."""
        return median(self.trimtab) / median(self.floor)


def compare(samples: Iterable[Sample]) -> Comparison:
    """Compare the two sides in these samples."""
    chosen = list(samples)
    rounds = sorted({sample.round for sample in chosen})
    return Comparison(
        _times(chosen, Side.FLOOR),
        _times(chosen, Side.TRIMTAB),
        [
            median(_times(part, Side.TRIMTAB)) / median(_times(part, Side.FLOOR))
            for number in rounds
            if (part := [sample for sample in chosen if sample.round == number])
        ],
    )


def percentile_99(times: Sequence[float]) -> float:
    """Return what one sample in a hundred exceeds; of a few dozen, close to the largest."""
    return quantiles(times, n=100, method="inclusive")[-1]


def _times(samples: Iterable[Sample], side: Side) -> list[float]:
    return [sample.milliseconds for sample in samples if sample.side is side]
