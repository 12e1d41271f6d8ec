"""What a session asks its shell to do. Frozen values, in the order in which they must be done.

A session does nothing by itself: it answers every input with a list of these, and a shell (threads,
asyncio, a test) carries them out.
"""

from dataclasses import dataclass
from enum import StrEnum

from trimtab.session.grants import Grant


@dataclass(frozen=True, slots=True)
class Send:
    """Write a record, and report by its ticket whether Kafka has it."""

    topic: str
    """The topic's name without the prefix."""
    key: bytes
    """Also what the partition is computed from."""
    value: bytes
    ticket: int


@dataclass(frozen=True, slots=True)
class FindEnd:
    """Ask where the log ends now, and report `caught_up` once everything before has been read."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """Start working on these."""

    grants: tuple[Grant, ...]


@dataclass(frozen=True, slots=True)
class Revoked:
    """Stop working on these in good order, then `finish` them."""

    grants: tuple[Grant, ...]


class LossReason(StrEnum):
    """Why queues were lost."""

    UNHEARD = "no heartbeat has reached Kafka, or nothing could be read from it, for too long"
    UNKNOWN = "the controller no longer knows this member"
    REPLACED = "a younger process joined under the same name"
    TAKEN = "the controller gave them to another member"
    RELEASED = "the controller or a guard has released them in the name of this member"
    OVERDUE = "a queue was not released in time"
    FAILED = "the member has failed"


@dataclass(frozen=True, slots=True)
class Lost:
    """Stop working on these at once: others may work on them already. Commit nothing."""

    grants: tuple[Grant, ...]
    reason: LossReason


@dataclass(frozen=True, slots=True)
class Unheard:
    """The member takes itself for dead, and joins anew. For people: say why."""

    unheard_ms: int
    """Since it sent the last beat that is known to be in the log."""
    unread_ms: int
    """Since it was last known to have read the log to its end."""


class Ending(StrEnum):
    """How a session ended."""

    LEFT = "left"
    """In good order: everything was released and the controller knows."""
    REPLACED = "replaced"
    """A younger process has the name; coming back would only start a fight."""
    ABANDONED = "abandoned"
    """Time was up, or all was lost; the controller will find out by silence."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over; it will ask for nothing more."""

    ending: Ending


Action = Send | FindEnd | Assigned | Revoked | Lost | Unheard | Ended
