"""Leaving: how a member that was asked to leave lets go, and until when.

At first it hands on what has an heir, and works on the rest until that has one as well. When its
time is up it is in a hurry: it stops all work, and has the time of one revocation for that. Whoever
leaves for a while hurries from the start, and releases to nobody, so that its queues are kept.

Used by the session. Its one rule: being asked again never gives it more time.
"""

from dataclasses import dataclass

from trimtab.session.baton import Baton, Changes

FAREWELL_MS = 2_000
"""Time for the last records of a member that works on nothing: a few retries of a produce."""


@dataclass(slots=True)
class Leaving:
    """How far it has come."""

    deadline: int | None = None
    """When it begins to hurry, or just goes; None: it was not asked to leave."""
    temporary: bool = False
    hurried: bool = False
    ticket: int | None = None
    """Of its last record."""

    def begin(self, deadline: int, *, temporary: bool) -> None:
        """It was asked to leave."""
        self.deadline, self.temporary = deadline, temporary

    def begin_again(self, deadline: int) -> None:
        """It was asked once more; that counts if it gives less time."""
        if self.deadline is not None and not self.hurried:
            self.deadline = min(self.deadline, deadline)

    def hurry(self, baton: Baton, now: int, patience: int) -> None:
        """The time is up; to stop it has as long as a revocation may take."""
        self.hurried = True
        self.deadline = now + (patience if baton.owned else FAREWELL_MS)

    def let_go(self, baton: Baton, now: int, patience: int) -> Changes:
        """Let go of what need not wait: all that has an heir, and in a hurry everything."""
        if self.hurried and self.deadline is not None:
            return baton.revoke_all(self.deadline, keep=self.temporary)
        return baton.hand_on(now + patience)
