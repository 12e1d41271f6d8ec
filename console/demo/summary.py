"""The verdict: what each step cost, what became of the messages, and whether anything is wrong.

Pure. Computed once, from the whole journals in the order of time, so that nothing depends on how
the demo was watched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from console.demo.totals import Handover, Totals

NANOSECONDS_PER_MS = 1_000_000
NANOSECONDS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a step went: when it began and came to rest, and why it failed, if it did."""

    title: str
    begun: int
    stable: int | None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class StepFigures:
    """A row of the summary."""

    title: str
    stable_s: float | None
    """From the act until every queue was at rest again."""
    moves: int
    rest_ms_p50: float | None
    """How long a queue had no worker while it changed hands; None without hand-overs."""
    rest_ms_max: float | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole demo in figures."""

    steps: tuple[StepFigures, ...]
    moves: int
    produced: int
    processed: int
    seen_twice: int
    seen_twice_after_kill: int
    """Those among them that a killed member had processed and not yet committed."""
    lost: int
    owned_twice: int
    """Times that two members worked on one queue at once."""
    strays: int
    """Messages that a member processed on a queue it did not own."""
    problems: tuple[str, ...]
    """What is wrong, in words; empty when the demo succeeded."""


def summarise(outcomes: Sequence[Outcome], totals: Totals) -> Summary:
    """Close the books."""
    handovers = totals.handovers()
    ends = [outcome.begun for outcome in outcomes[1:]]
    return Summary(
        steps=tuple(
            _figures(outcome, [one for one in handovers if _within(one, outcome.begun, end)])
            for outcome, end in zip(outcomes, [*ends, None], strict=True)
        ),
        moves=len(handovers),
        produced=totals.produced(),
        processed=totals.processed.total(),
        seen_twice=totals.repeats,
        seen_twice_after_kill=totals.repeats_by_death,
        lost=totals.outstanding(),
        owned_twice=len(totals.overlaps()),
        strays=totals.strays,
        problems=_problems(outcomes, totals),
    )


def _within(handover: Handover, begin: int, end: int | None) -> bool:
    return begin <= handover.at and (end is None or handover.at < end)


def _figures(outcome: Outcome, handovers: Sequence[Handover]) -> StepFigures:
    rests = [one.rest / NANOSECONDS_PER_MS for one in handovers]
    stable = outcome.stable
    return StepFigures(
        title=outcome.title,
        stable_s=None if stable is None else (stable - outcome.begun) / NANOSECONDS_PER_S,
        moves=len(handovers),
        rest_ms_p50=median(rests) if rests else None,
        rest_ms_max=max(rests, default=None),
        failure=outcome.failure,
    )


def _problems(outcomes: Sequence[Outcome], totals: Totals) -> tuple[str, ...]:
    """Every way in which the demo can have failed."""
    problems = [f"{one.title}: {one.failure}" for one in outcomes if one.failure is not None]
    unexplained = totals.repeats - totals.repeats_by_death
    counts = {
        "queues were owned twice at once": len(totals.overlaps()),
        "messages were processed by members without the queue": totals.strays,
        "messages were seen twice without a kill": unexplained,
    }
    if not problems:  # a story cut short leaves messages on their way, which are not lost
        counts["messages were lost"] = totals.outstanding()
    return (*problems, *(f"{count} {what}" for what, count in counts.items() if count))
