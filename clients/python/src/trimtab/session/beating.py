"""Beating: when the next beat is due.

A beat is due one interval after the last one, and sooner if there is news to tell: then at once,
but for a little time that a storm of news shares. Used by the session. Its one rule: news makes a
beat earlier, and never later.
"""

from dataclasses import dataclass

BEAT_SPACING_MS = 100
"""Changes of ownership are told at once, but a storm of them in one beat per tenth of a second."""


@dataclass(slots=True)
class Beating:
    """The last beat and the next."""

    interval_ms: int
    last_beat_at: int
    due_at: int

    @classmethod
    def begun(cls, interval_ms: int, now: int) -> "Beating":
        """A new life has said nothing yet, so that its first news goes out at once."""
        return cls(interval_ms, now - BEAT_SPACING_MS, now + interval_ms)

    def keep_to(self, interval_ms: int) -> None:
        """Another interval was given."""
        self.interval_ms = interval_ms
        self.due_at = min(self.due_at, self.last_beat_at + interval_ms)

    def hasten(self) -> None:
        """There is news."""
        self.due_at = min(self.due_at, self.last_beat_at + BEAT_SPACING_MS)

    def failed(self, usual_ms: int) -> None:
        """Something is said again with the next beat: who beats more rarely does so as usual."""
        if self.interval_ms > usual_ms:
            self.due_at = min(self.due_at, self.last_beat_at + usual_ms)

    def sent(self, now: int) -> None:
        """A beat is on its way."""
        self.last_beat_at, self.due_at = now, now + self.interval_ms
