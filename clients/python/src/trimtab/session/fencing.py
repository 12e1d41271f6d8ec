"""The fence: when a member must stop by itself, because the controller may take it for dead.

The controller takes a member for dead after a session of silence, and gives its queues to others.
So a member whose beats do not arrive must have stopped by then, by itself. It counts from the time
it *sent* the last beat known to be in the log (the log has it at that time or later, so the member
never trusts in its session longer than the controller does), and stops a margin early, so that the
application has time to stop.

That its beats arrive is not enough: a member that can write but not read would never learn that it
was told to give a queue up. So the other half of the fence is when it last was at the end of the
log.
"""

from dataclasses import dataclass, field

from trimtab.session.actions import Unheard

MARGIN_DIVISOR = 5
"""The margin is a fifth of the session: beats come every third of it, so a beat that was lost and
one that is late still arrive within the other four fifths."""


@dataclass(slots=True)
class Fence:
    """The two proofs of life, and how long they last."""

    session_timeout_ms: int
    heard_at: int
    """When the last beat known to be in the log was sent."""
    read_at: int
    """When the end of the log was last known to have been read."""
    _pending: dict[int, int] = field(default_factory=dict)

    @property
    def deadline(self) -> int:
        """When the member must have fenced itself."""
        return min(self.heard_at, self.read_at) + within(self.session_timeout_ms)

    def verdict(self, now: int) -> Unheard:
        """For how long each proof of life has been missing."""
        return Unheard(now - self.heard_at, now - self.read_at)

    def sent(self, ticket: int, now: int) -> None:
        """A beat is on its way."""
        self._pending[ticket] = now

    def acknowledged(self, ticket: int) -> None:
        """A beat is in the log."""
        self.heard_at = max(self.heard_at, self._pending.pop(ticket, self.heard_at))

    def failed(self, ticket: int) -> None:
        """A beat did not get there."""
        self._pending.pop(ticket, None)


def within(timeout_ms: int) -> int:
    """How much of a timeout a member may use."""
    return timeout_ms - timeout_ms // MARGIN_DIVISOR
