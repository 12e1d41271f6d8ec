"""Older: what the older of two controllers has still to write, and what the younger one finds.

As values, like all of a world.

Used by ``worlds`` and ``takeovers``.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from tests.laws.views import Mark, Record, Release

if TYPE_CHECKING:
    from tests.laws.messages import Logged


class Memory(StrEnum):
    """What a controller that starts remembers."""

    CHECKPOINT = "checkpoint"
    """All that the older one had committed when it started."""
    BACKUP = "backup"
    """How everything began."""
    NOTHING = "nothing"


class Patience(StrEnum):
    """When the last batch of the older one is written."""

    ENDED = "ended"
    """Before the younger one reads what is published, or never."""
    PASSED = "passed"
    """Then; or, of each member, when the younger one has told it something no older."""
    NONE = "none"
    """At any time."""


class Told(NamedTuple):
    """A member's record, which is yet to be written; None withdraws it."""

    member: int
    record: Record | None


class Summary(NamedTuple):
    """The group's record, which is yet to be written."""

    epoch: int


Unsaid = Told | Summary | Release


class Older(NamedTuple):
    """A controller in whose place another one starts, and its last batch."""

    unsaid: tuple[Unsaid, ...]
    """What it has decided and not written."""
    read: tuple[Release | Mark, ...] = ()
    """What it has read for that."""


class Published(NamedTuple):
    """What a controller that starts finds in the log."""

    epoch: int
    """The group's."""
    records: tuple[Record | None, ...]
    """The last one of each member."""
    past: "tuple[Logged, ...]" = ()
    """What it does not remember, though it was read before the last summary was written."""

    def with_record(self, told: Told) -> "Published":
        """Return what is found after a member's record was written; only a newer one counts."""
        known = self.records[told.member]
        if known is not None and told.record is not None and known.epoch >= told.record.epoch:
            return self
        after = (*self.records[: told.member], told.record, *self.records[told.member + 1 :])
        return self._replace(records=after)
