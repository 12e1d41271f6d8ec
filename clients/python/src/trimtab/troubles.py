"""What is wrong now: each trouble is told once, again if it changes, and once more when it is over.

Trouble has a subject. Of most there is one at a time: a controller answers or does not. What the
clients meet in Kafka has many texts, and nobody says when it has passed: that is over when for a
while it has not come back, and records were written and read meanwhile.

Kept by `watching`, and by a moving consumer's `mover`; pure, but for what it calls. Its one rule:
the same text is not told twice before it is over.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from trimtab.errors import TrimtabError
from trimtab.repeats import Repeats

REPEAT_MS: Final = 10_000
"""What happens, and does not last, is told again only after this long."""
QUIET_MS: Final = 40_000
"""Without a word of a trouble with Kafka. librdkafka says the same of a broker every 30 s only
(`rd_kafka_broker_set_error`), and a member asks again to join after 16 s at most."""
_MOST: Final = 50
"""Troubles of one subject. A text that is different each time must not fill the memory."""
_NUMBERS: Final = re.compile(r"\d+")


class Subject(Enum):
    """What may be wrong."""

    CONNECTING = "connecting"
    KAFKA = "Kafka"
    CONTROLLER = "controller"
    TOPICS = "topics"
    GROUP = "group"
    CALLBACK = "callback"


@dataclass(slots=True)
class _Standing:
    since: int
    last: int


class Troubles:
    """Of one member."""

    def __init__(
        self, tell: Callable[[TrimtabError], object], over: Callable[[str], object]
    ) -> None:
        self._tell = tell
        self._over = over
        self._standing: dict[Subject, dict[str, _Standing]] = {it: {} for it in Subject}
        self._repeats = Repeats(REPEAT_MS)
        self._written_at = self._read_at = 0

    def happened(self, error: TrimtabError, now: int) -> None:
        """Tell what is no state: a record that cannot be read, a session that was lost.

        What differs in numbers alone, as in the column where a record breaks off, is the same.
        """
        if self._repeats.is_new(_NUMBERS.sub("", str(error)), now):
            self._tell(error)

    def stands(self, subject: Subject, error: TrimtabError, now: int) -> None:
        """Something is wrong; tell it if it was not known."""
        text, known = str(error), self._standing[subject]
        if text in known:
            known[text].last = now
            return
        if subject is not Subject.KAFKA:  # it has changed, and began with the first
            since = min((it.since for it in known.values()), default=now)
            known.clear()
        else:
            since = now
            if len(known) == _MOST:
                del known[min(known, key=lambda it: known[it].last)]
        known[text] = _Standing(since, now)
        self._tell(error)

    def has(self, subject: Subject) -> bool:
        """Whether something of this is wrong."""
        return bool(self._standing[subject])

    def is_over(self, subject: Subject, now: int) -> None:
        """Nothing of this is wrong any more."""
        for text in [*self._standing[subject]]:
            self._end(subject, text, now)

    def written(self, now: int) -> None:
        """Kafka has taken a record."""
        self._written_at = now

    def read(self, now: int) -> None:
        """All that was in the log has been read."""
        self._read_at = now
        for text, it in [*self._standing[Subject.KAFKA].items()]:
            if it.last + QUIET_MS <= now and it.last < self._written_at:
                self._end(Subject.KAFKA, text, now)

    def _end(self, subject: Subject, text: str, now: int) -> None:
        standing = self._standing[subject].pop(text)
        lasted = now if subject is not Subject.KAFKA else standing.last
        self._over(f"over, after {(lasted - standing.since) / 1_000:.0f} s: {text}")
