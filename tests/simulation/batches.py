"""Batches of a world: chosen before they are computed, and computed again after a crash."""

from dataclasses import dataclass

from rebalance.groups.conclusion import Step
from streaming.wire.rows import Row


@dataclass(slots=True)
class Batch:
    """Rows that were chosen, and what they were found to mean."""

    rows: list[Row]
    outcome: Step | None = None
    shown: bool = False
    """The auditor has heard them."""
    reminded: bool = False
    """What is published is among them."""
    whole: bool = True
    """Nothing urgent was left behind."""
