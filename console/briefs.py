"""Briefs: summaries of groups as far as lists show them, read in a tenth of the time.

The contract makes a model of every part of a record, which for ten thousand groups takes longer
than all the rest of a list. Here the parser checks what it needs as it goes.

Called by ``published``. Its one rule: what it is not sure of, the contract reads, and says what is
wrong; where both read a summary they say the same (``tests/unit/console/test_briefs.py``).
"""

from typing import Final, Literal

from msgspec import MsgspecError, Raw, Struct, json

from trimtab.protocol.groups import State


class BriefCause(Struct, frozen=True, gc=False):
    """Why a group is as it is."""

    kind: str
    subject: str | None = None
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None
    detail: str | None = None


class BriefQueues(Struct, frozen=True, gc=False):
    """Where its queues are."""

    assigned: int
    moving: int
    unassigned: int


class BriefMember(Struct, frozen=True, gc=False):
    """A member of it."""

    member: str
    hold: int
    give: int
    inherit: int
    draining: bool
    heir_of: int | None = None
    away: bool | None = None
    held: bool | None = None
    resting: bool | None = None
    standby: bool | None = None
    guarded: bool | None = None


class Brief(Struct, frozen=True, gc=False):
    """A group."""

    v: Literal[1]
    kind: Literal["group"]
    group: str
    state: State
    epoch: int
    target_epoch: int
    strategy: str
    members: int
    queues: BriefQueues
    topics: dict[str, Raw]
    at_ms: int
    cause: BriefCause
    people: tuple[BriefMember, ...]
    paused: bool | None = None
    more_topics: int | None = None
    shortage: dict[str, int] | None = None
    ailment: str | None = None


_read: Final = json.Decoder(Brief).decode


def brief_of(value: bytes) -> Brief | None:
    """Read a summary; None: it needs a closer look."""
    try:
        return _read(value)
    except (MsgspecError, UnicodeDecodeError):
        return None
