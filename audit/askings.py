"""Askings: who has asked to be told again what it knows, and may still be answered (I14).

A join and a command are answered, however late: a group whose step fails keeps them. Of beats it is
only known that some ask, and of a start that it may tell all members anew. So these count for a
while of log time, and so does, where the order of records is not known, what has been answered
once.

Kept by ``epochs``. Its one rule: it is asked of lives and times, and knows no record.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from itertools import chain

from audit.history import Life

_REMEMBERED = 16
"""By life, of what may ask."""
ANSWERED_MS = 60_000
"""Of log time: a beat is answered in the next batch, and no order of records is so wrong."""
STARTED_MS = 60_000 + ANSWERED_MS
"""So long a group waits for the rest of what a start has found published, before it answers."""


class Askings:
    """Those of one group."""

    def __init__(self, *, exact: bool) -> None:
        """Begin with none; if exact, all that ask in one batch are one, and are kept until then."""
        self._exact = exact
        self._owed = Counter[Life]()
        self._until = defaultdict[Life, deque[int]](lambda: deque(maxlen=_REMEMBERED))
        """By life, how long each counts."""

    def has_to(self, life: Life) -> None:
        """A life has to be answered."""
        self._owed[life] += 1

    def may(self, lives: Iterable[Life], until_ms: int) -> None:
        """These may be answered until then."""
        for life in lives:
            if self._exact:
                self.has_to(life)
            else:
                self._until[life].append(until_ms)

    def is_open(self, life: Life, now_ms: int) -> bool:
        """Tell whether a life may be told again."""
        return self._owed[life] > 0 or max(self._until.get(life, ()), default=-1) >= now_ms

    def answered(self, life: Life, now_ms: int) -> None:
        """A life was told something: which was one of its askings, and the others are soon over."""
        owed, until = self._owed.pop(life, 0), self._until.pop(life, ())
        if self._exact:
            return
        soon = now_ms + ANSWERED_MS
        left = chain((it for it in until if it >= now_ms), [soon] * owed)
        next(left, None)
        self._until[life].extend(min(it, soon) for it in left)

    def ended(self, life: Life) -> None:
        """A life is over."""
        self._owed.pop(life, None)
        self._until.pop(life, None)
