"""Violations: what the auditor reports, with the proof.

Each names the invariant (docs/survival.md lists them), whom it concerns, and the records that prove
it. Made by the checks of this folder, printed by `trimtab check` and by the simulation.
"""

from dataclasses import dataclass
from enum import StrEnum

from audit.history import Place, Queue


class Invariant(StrEnum):
    """What must hold, with the numbers that the project uses throughout."""

    ONE_OWNER = "I1"
    """As published, at most one life may work on a queue."""
    ONE_WORKER = "I2"
    """In truth, at most one member that is not fenced works on a queue."""
    TOKENS_GROW = "I3"
    """A queue's fencing token never goes back, and no two grants share one."""
    EPOCHS_GROW = "I4"
    """Epochs never go back, and one epoch of one key means the same bytes."""
    LIVELY = "I5"
    """Once it is quiet, each queue is owned and acknowledged; the dead are removed in time."""
    PATIENT = "I6"
    """No member whose beats are less than a session apart in log time is removed for silence."""
    REPEATABLE = "I7"
    """The same records in the same batches make the same bytes."""
    FEW_TARGETS = "I8"
    """Queues move once: the target is computed at most once a batch."""
    BALANCED = "I9"
    """In a stable group of equals the loads differ by one at most."""
    ENTITLED = "I10"
    """No member is granted what it does not subscribe, or more than it can carry."""
    CALM = "I14"
    """Nothing is published again unless it changed or was asked for."""
    BOUNDED = "I16"
    """The state is no larger than members and queues explain."""
    MONOTONE = "I17"
    """A longer session never removes more members."""
    TOLD = "I18"
    """What a summary counts as a member's is what that member was told."""
    SUCCEEDED = "I19"
    """No member is replaced by a process that was there before it."""
    TOTAL = "I0"
    """No input makes the auditor raise."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken invariant."""

    invariant: Invariant
    group: str
    subject: str
    """The queue or the member."""
    detail: str
    records: tuple[Place, ...] = ()

    def __str__(self) -> str:
        """Write it on one line."""
        proof = f" [{', '.join(map(str, self.records))}]" if self.records else ""
        return f"{self.invariant} {self.group}: {self.subject}: {self.detail}{proof}"


def queue_text(queue: Queue) -> str:
    """Write a queue as people know it."""
    topic, broker, number = queue
    return f"{topic}-{number}" if not broker else f"{topic}/{broker}-{number}"
