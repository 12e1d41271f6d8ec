"""Asking to join: when it is due, and how soon again.

A join may be lost, or its answer. So a member asks until it is answered, ever more rarely: to
become a member, and to be known again by a controller that has forgotten how it joined. Its one
rule: only an answer ends it. What a member says anew is read from the log for certain, so for that
it is enough that Kafka has it: an answer may be to an earlier join.
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
    _ticket: int | None = None
    """That of the last join."""
    _unsaid: bool = False
    """Whether the last join says something new that Kafka may not have."""

    def begin(self, now: int) -> None:
        """Ask at once; a member that is asking already keeps its own schedule."""
        if self.due_at is None:
            self.due_at, self._retry_ms = now, FIRST_JOIN_RETRY_MS

    def renew(self, now: int) -> None:
        """Ask at once, for a new life: an answer to the last one would not be for it."""
        self.begin(now)
        self.due_at = now

    def change(self, now: int) -> None:
        """Say something new at once."""
        self.renew(now)
        self._unsaid = True

    def asked(self, ticket: int, now: int) -> None:
        """A join is on its way."""
        self._ticket, self.due_at = ticket, now + self._retry_ms
        self._retry_ms = min(2 * self._retry_ms, LAST_JOIN_RETRY_MS)

    def failed(self, ticket: int, now: int) -> None:
        """A record did not reach Kafka. If it was the join, it was no load to the controller."""
        if ticket == self._ticket and (self.due_at is not None or self._unsaid):
            soon = now + FIRST_JOIN_RETRY_MS
            self.due_at = soon if self.due_at is None else min(self.due_at, soon)

    def acknowledged(self, ticket: int) -> None:
        """Kafka has a record."""
        if ticket == self._ticket:
            self._unsaid = False

    def answered(self) -> None:
        """It was answered."""
        self.due_at = None

    def end(self) -> None:
        """No answer is needed any more."""
        self.due_at, self._unsaid = None, False
