"""Duties: what one life of a member does about one queue.

It works on it, finishes its work, or waits for it. Kept by `baton`. Its one rule: no duty, nothing
to do with the queue.
"""

from dataclasses import dataclass

from trimtab.protocol import HolderRef
from trimtab.session.grants import Grant
from trimtab.session.nominee import UNTOLD, Next, Outlook
from trimtab.session.recall import Source


@dataclass(frozen=True, slots=True)
class Working:
    """The application works on the queue."""

    grant: Grant
    outlook: Outlook = UNTOLD
    doubted: bool = False
    """Whether a record does not know that a release has begun it."""


@dataclass(frozen=True, slots=True)
class Revoking:
    """The application was told to stop and has not said yet that it did."""

    grant: Grant
    deadline: int
    outlook: Outlook = UNTOLD


@dataclass(frozen=True, slots=True)
class Waiting:
    """The queue is ours as soon as a release of its source names this epoch."""

    epoch: int
    source: Source


Duty = Working | Revoking | Waiting


def outlook_of(row: HolderRef) -> Outlook:
    """Return what a record says of who comes next."""
    return Outlook(None if row.next is None else Next(row.next, row.to))


def epoch_of(duty: Duty) -> int:
    """Return the epoch of the grant that it is about."""
    return duty.epoch if isinstance(duty, Waiting) else duty.grant.token
