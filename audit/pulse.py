"""The pulse: when one life was heard, as far as that matters for its session.

Only its last beats are remembered: those after a cause must be told from those before it. Kept by
``silence``. Its one rule: it notes, and judges nothing.
"""

from collections import deque
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from audit.reading import BEGINNING, Log, Reading

BEATS_REMEMBERED: Final = 64
"""By life."""
CLOCK = attrgetter("clock_ms")


@dataclass(slots=True)
class Pulse:
    """Of one life."""

    heard: deque[Reading]
    sequence: int = -1
    """Of its latest beat: one that is not above it is late or repeated, and proves nothing."""
    joined_in: int = -1
    """The last batch in which it joined before it was answered."""
    joined_at: int = -1
    """The number of its latest join."""
    said: list[tuple[int, Reading]] = field(default_factory=list)
    """Every beat since then, with its sequence, as far as it may matter."""
    wishes: int = -1
    """Of its latest join."""
    since_join: int = -1
    """The same, counted from its latest join before it was answered: which of several joins let it
    in is not known, and beats before that one were not counted."""
    perhaps: Reading = BEGINNING
    """When it was last heard by that count: silence since then is certain."""
    session_ms: int | None = None
    """As published to it; nobody is judged before that."""
    away: bool = False
    back_at: int = -1
    """The number of the join by which it came back."""
    held_at: Reading | None = None
    """When it was said that its eviction waits."""
    spoken: int = -1
    """The number of its last word that is no beat: the broker that took it has its own clock."""
    answered_ms: int | None = None
    """When a record was written that first told it something after that word."""
    log: Log | None = None
    """By which it spoke in this batch, other than by beats."""

    def last(self, upto: int) -> Reading | None:
        """Return when it was last heard, up to a record of this number."""
        heard = (each for each in self.heard if each.number <= upto)
        return max(heard, key=CLOCK, default=None)
