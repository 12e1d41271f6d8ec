"""The report: a table for people, and the headline figures for programs; pure.

One line for each scenario, and below it one for each kind of question, since a join makes trimtab
work more than a leave does while the floor cannot tell them apart. Called by the command.

Milliseconds are of this machine at this hour; the ratio is what counts.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Final

from bench.floor.plan import Scenario
from bench.floor.samples import Comparison, Sample, compare, percentile_99
from console.output import columns

GOAL: Final = 1.3
"""The most that trimtab's median may be above the floor's."""


def table(samples: Sequence[Sample]) -> str:
    """Say how far trimtab is above the floor."""
    rows = []
    for scenario in Scenario:
        part = [sample for sample in samples if sample.scenario is scenario]
        rows.append(_row(f"{scenario}", compare(part)))
        by_question = sorted(part, key=_question)
        for question, some in groupby(by_question, _question):
            rows.append(_row(f"  {question}", compare(some)))
    return columns(rows, *rows[0])


def headline(samples: Sequence[Sample]) -> dict[str, float | int]:
    """Return the figures by name."""
    figures: dict[str, float | int] = {}
    for scenario in Scenario:
        part = [sample for sample in samples if sample.scenario is scenario]
        both = compare(part)
        figures |= {
            f"{scenario}_p50_ratio": round(both.ratio, 3),
            f"{scenario}_p50_ratio_min": round(min(both.rounds), 3),
            f"{scenario}_p50_ratio_max": round(max(both.rounds), 3),
            f"{scenario}_p50_ms": round(median(both.trimtab), 1),
            f"{scenario}_p99_ms": round(percentile_99(both.trimtab), 1),
            f"{scenario}_floor_p50_ms": round(median(both.floor), 1),
            f"{scenario}_floor_p99_ms": round(percentile_99(both.floor), 1),
            f"{scenario}_samples": len(both.trimtab),
        }
    return figures | {"rounds": len({sample.round for sample in samples})}


def _row(title: str, both: Comparison) -> Mapping[str, object]:
    return {
        "what": title,
        "samples": f"2 x {len(both.trimtab)}",
        "floor p50": f"{median(both.floor):.0f} ms",
        "trimtab p50": f"{median(both.trimtab):.0f} ms",
        "ratio": f"{both.ratio:.2f}",
        "by rounds": f"{min(both.rounds):.2f} .. {max(both.rounds):.2f}",
        "floor p99": f"{percentile_99(both.floor):.0f} ms",
        "trimtab p99": f"{percentile_99(both.trimtab):.0f} ms",
    }


def _question(sample: Sample) -> str:
    return sample.question
