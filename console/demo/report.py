"""The summary as text: a table of the steps, and what became of queues and messages. Pure.

The last thing a newcomer sees, so it explains its own words. Called by `play` when the story ends.
"""

from collections.abc import Iterator

from console.demo.summary import Summary
from console.output import columns


def report(summary: Summary) -> str:
    """Write it out."""
    rows = [
        {
            "step": step.title,
            "stable after": _quantity(step.stable_s, "s"),
            "moves": step.moves,
            "at rest p50": _quantity(step.rest_ms_p50, "ms"),
            "max": _quantity(step.rest_ms_max, "ms"),
        }
        for step in summary.steps
    ]
    table = columns(rows, "step", "stable after", "moves", "at rest p50", "max")
    return "\n".join([table, "", *_sentences(summary)])


def _sentences(summary: Summary) -> Iterator[str]:
    yield "A queue is at rest from its holder's stop to its heir's start."
    yield f"Two members owned a queue at once: {summary.owned_twice} times."
    yield (
        f"Messages: {summary.produced:,} produced, {summary.processed:,} processed, "
        f"{summary.seen_twice:,} seen twice, {summary.lost:,} lost."
    )
    if summary.seen_twice_after_kill:
        yield (
            f"Of those seen twice, {summary.seen_twice_after_kill:,} are the kill's: processed, "
            "not yet committed."
        )


def _quantity(value: float | None, unit: str) -> str | None:
    return None if value is None else f"{value:,.1f} {unit}"
