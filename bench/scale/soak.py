"""A soak: what a pipeline takes, again and again, and whether that grows.

A leak is small beside what there is, and shows only as a slope: each column gets the straight line
that is nearest to its samples (least squares). The first third is left out: meanwhile Java's heap
grows to its size, and Java compiles. Used by ``scenes`` and by the command. Its one
rule: a column without two samples has no slope.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import linear_regression, median
from typing import Final

EVERY_S: Final = 10.0
_MIB: Final = 1024 * 1024
_HOUR_S: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One look."""

    at_s: float
    """Since the soak began."""
    memory: int
    """Of the driver, its JVM and its Python workers, in bytes."""
    state: int
    """What the largest of the last batches has written, in bytes."""
    batch_s: float | None
    """The median of the batches since the sample before; None: there was none."""

    def __str__(self) -> str:
        batch = "no batch" if self.batch_s is None else f"batch {self.batch_s:.2f} s"
        memory, state = self.memory / _MIB, self.state / _MIB
        return f"{self.at_s:6.0f} s  memory {memory:,.0f} MiB  state {state:,.2f} MiB  {batch}"


def sampled(at_s: float, memory: int, state: int, batches_s: Sequence[float]) -> Sample:
    """Make a sample of what was seen since the last one."""
    return Sample(at_s, memory, state, median(batches_s) if batches_s else None)


@dataclass(frozen=True, slots=True)
class Trend:
    """The line through one column's samples."""

    what: str
    unit: str
    begins: float
    ends: float
    slope: float
    """By the hour."""


def trends(samples: Sequence[Sample]) -> list[Trend]:
    """Return the line through each column, from the second third on."""
    columns: dict[tuple[str, str], Callable[[Sample], float | None]] = {
        ("memory", "MiB"): lambda it: it.memory / _MIB,
        ("state", "MiB"): lambda it: it.state / _MIB,
        ("batch", "s"): lambda it: it.batch_s,
    }
    found = []
    for (what, unit), read in columns.items():
        settled = samples[len(samples) // 3 :]
        points = [(it.at_s, value) for it in settled if (value := read(it)) is not None]
        if len(points) >= 2:  # noqa: PLR2004 - a line has two ends
            found.append(_line(what, unit, points))
    return found


def _line(what: str, unit: str, points: Sequence[tuple[float, float]]) -> Trend:
    times, values = zip(*points, strict=True)
    slope, at_zero = linear_regression(times, values)
    begins, ends = (at_zero + slope * it for it in (times[0], times[-1]))
    return Trend(what, unit, begins, ends, slope * _HOUR_S)
