"""Deeds: what is known of the grants of one queue.

Kept by ``possession``. Its one rule: it remembers, and judges nothing.
"""

from dataclasses import dataclass, field
from typing import Final

from audit.history import Life, Place, Tenure

REMEMBERED: Final = 16
"""By queue. An heir is promised a release that is at most a few grants old."""


@dataclass(slots=True)
class PromisedGrant:
    """One grant of one queue to one life."""

    life: Life
    epoch: int
    said: Place
    source: Tenure | None = None
    """The release that an heir waits for."""
    able: bool = False
    """It may be working."""
    told_to_give: int | None = None
    """The epoch of the first record that told it to let go."""
    unseen: bool = False
    """Whether it has done so nobody can see."""


@dataclass(slots=True)
class Deed:
    """One queue."""

    claims: dict[Tenure, PromisedGrant] = field(default_factory=dict)
    released: dict[Tenure, int | None] = field(default_factory=dict)
    """Whom the first release of each grant names."""
    begun: set[Tenure] = field(default_factory=set)
    """Those of them that might be worked under by then: a liar may release what it will have."""
    newest: int = 0
    """The largest epoch ever granted, and to whom."""
    newest_life: Life | None = None
    granted: dict[Tenure, None] = field(default_factory=dict)
    """Grants that were made before, live or not."""
    working: int = 0
    """The largest epoch under which somebody might have worked."""

    def grant(self, key: Tenure) -> None:
        """Remember a grant, and forget old ones."""
        self.granted[key] = None
        while len(self.granted) > REMEMBERED:
            del self.granted[next(iter(self.granted))]
