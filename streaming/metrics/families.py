"""Families of metrics, and the text that Prometheus reads.

Prometheus' text format, version 0.0.4: a family has a name, one line of help, a type, and a series
for each set of labels. A family has so many series and no more, so that whoever invents names fills
no memory and no screen. A counter that has no room forgets the series that was counted longest ago:
in years there are many names that were used once. A gauge leaves out what it has no room for.

Used by ``catalogue``. Its one rule: a counter never goes down, unless it begins anew.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

MOST_SERIES: Final = 5_000
"""Of a family: what a scrape each 15 s of one controller may cost. Half a megabyte of text."""

Labels = tuple[str, ...]


class Family:
    """All series of one name.

    Args:
        name: With its unit.
        about: The help, in one line.
        labels: Their names.
    """

    kind = "untyped"

    def __init__(self, name: str, about: str, *labels: str) -> None:
        self.name, self.about, self.labels = f"trimtab_{name}", about, labels
        self._values: dict[Labels, float] = {}

    def value(self, *labels: str) -> float:
        """Return the value of a series; 0 if there is none."""
        return self._values.get(labels, 0)

    def values(self) -> dict[Labels, float]:
        """Return all series."""
        return dict(self._values)

    def total(self) -> float:
        """Return the sum of all series."""
        return sum(self._values.values())

    def has_room(self, count: int) -> bool:
        """Whether there is room for so many series more."""
        return len(self._values) + count <= MOST_SERIES

    def text(self) -> Iterator[str]:
        """Write the family, line by line."""
        yield f"# HELP {self.name} {self.about}"
        yield f"# TYPE {self.name} {self.kind}"
        yield from self._samples()

    def _samples(self) -> Iterator[str]:
        for labels, value in self._values.items():
            yield sample(self.name, self.labels, labels, value)


class Counter(Family):
    """What only grows."""

    kind = "counter"
    _forgotten = 0.0

    def add(self, amount: float, *labels: str) -> None:
        """Count."""
        assert amount >= 0, self.name
        if labels not in self._values and not self.has_room(1):
            self._forgotten += self._values.pop(next(iter(self._values)))
        self._values[labels] = self._values.pop(labels, 0) + amount  # the last one now

    def total(self) -> float:
        """Return the sum of all series, also of those that were forgotten."""
        return super().total() + self._forgotten


class Gauge(Family):
    """What is so now."""

    kind = "gauge"

    def set(self, value: float, *labels: str) -> None:
        """Say what is so; one that there is no room for is left out, since gauges do not add up."""
        if labels in self._values or self.has_room(1):
            self._values[labels] = value

    def has(self, *labels: str) -> bool:
        """Tell whether there was room for a series."""
        return labels in self._values

    def drop(self, *labels: str) -> None:
        """Forget a series: what it was about is gone."""
        self._values.pop(labels, None)


class Histogram(Family):
    """How long things took, in buckets; it has no labels."""

    kind = "histogram"

    def __init__(self, name: str, about: str, bounds: Sequence[float]) -> None:
        super().__init__(name, about)
        self.bounds = bounds
        self._counts, self._sum = [0] * (len(bounds) + 1), 0.0

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self._counts)

    def observe(self, value: float) -> None:
        """Count one."""
        self._counts[bisect_left(self.bounds, value)] += 1
        self._sum += value

    def add(self, counts: Sequence[int], total: float) -> None:
        """Count what others have sorted into the same buckets."""
        self._counts = [one + other for one, other in zip(self._counts, counts, strict=True)]
        self._sum += total

    def _samples(self) -> Iterator[str]:
        bounds = [*(f"{it:g}" for it in self.bounds), "+Inf"]
        for bound, count in zip(bounds, accumulate(self._counts), strict=True):
            yield sample(f"{self.name}_bucket", ("le",), (bound,), count)
        yield sample(f"{self.name}_sum", (), (), self._sum)
        yield sample(f"{self.name}_count", (), (), self.count)


def sample(name: str, names: Labels, labels: Labels, value: float) -> str:
    """Write one line."""
    said = ",".join(f'{it}="{_quoted(one)}"' for it, one in zip(names, labels, strict=True))
    number = f"{int(value)}" if value == int(value) else f"{value!r}"
    return f"{name}{{{said}}} {number}" if said else f"{name} {number}"


def _quoted(text: str) -> str:
    """Escape what the format has a meaning for; names may hold anything (fault C21)."""
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
