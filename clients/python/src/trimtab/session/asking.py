"""Asking to join: when it is due, and how soon again.

A join may be lost on its way, or the answer to it. So whoever wants to be heard asks until it is
answered, ever more rarely: to become a member, and to be known again by a controller that has
forgotten how it joined. Its one rule: only an answer ends it.
"""

from dataclasses import dataclass

FIRST_JOIN_RETRY_MS = 2_000
"""The controller answers within a batch (some 300 ms); asking sooner again is only load."""
LAST_JOIN_RETRY_MS = 16_000
"""Three doublings later: a controller that is away reads the joins from the log on its return."""


@dataclass(slots=True)
class Asking:
    """Whether an answer is awaited, and when to ask again."""

    due_at: int | None
    """None: nothing is asked."""
    _retry_ms: int = FIRST_JOIN_RETRY_MS

    def begin(self, now: int) -> None:
        """Ask at once; who is asking already goes on in its own time."""
        if self.due_at is None:
            self.due_at, self._retry_ms = now, FIRST_JOIN_RETRY_MS

    def asked(self, now: int) -> None:
        """A join is on its way."""
        self.due_at = now + self._retry_ms
        self._retry_ms = min(2 * self._retry_ms, LAST_JOIN_RETRY_MS)

    def end(self) -> None:
        """It was answered, or nobody wants to know any more."""
        self.due_at = None
