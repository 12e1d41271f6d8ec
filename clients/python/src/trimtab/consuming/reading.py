"""A reading: one queue that is read under one grant, and what is known of its offsets.

Kept by `Intake`, under its turn. Pure. Its one rule: what Kafka is to have never goes back, but
where the log itself did.
"""

import math
from dataclasses import dataclass, field

from trimtab.protocol import QueueRef
from trimtab.session import Grant


@dataclass(slots=True, eq=False)
class Reading:
    """A queue that is read."""

    grant: Grant
    next: int
    """Where reading begins again, unless the client knows better; of one that ends: the first
    message that was not handed out."""
    committed: int | None = None
    """What Kafka has; -1: nothing; None: not known, so nothing may be committed yet."""
    done: int = 0
    """Where the application itself has committed to."""
    ending: bool = False
    """Whether the queue is being given up, or lost: nothing more is handed out."""
    is_astray: bool = False
    """Whether, at its end, Kafka did not have what comes next: of a topic that was made anew, the
    position is one in the old topic."""
    reach: float = math.inf
    """How far its log is known to reach, once that was cut: what Kafka has beyond is the old log's.
    Whoever began there would skip what producers have written since."""
    kept: float = math.inf
    """Up to where it is the log that it was: all that was done when its old end was committed."""
    began: int = field(init=False)
    """The first offset that was read under this grant: what is before it came under another one."""

    def __post_init__(self) -> None:
        self.began = self.next

    @property
    def queue(self) -> QueueRef:
        """The queue."""
        return self.grant.queue

    def is_news(self, position: int) -> bool:
        """Whether Kafka is to have this position."""
        return self.committed is not None and position > self.committed

    def move(self, offset: int) -> None:
        """Read on there."""
        self.reach = max(self.reach, self.next, self.done)
        self.next, self.began = offset, min(self.began, offset)

    def enter(self, offset: int, end: int, kept: int) -> None:
        """Begin there in a log that was cut, or is another one, and ends here; Kafka is asked anew.

        It forgets what was committed in a topic that is deleted; where a log was cut, nothing.
        """
        before = self.kept if self._heard() < 0 else math.inf
        self.next, self.committed, self.reach = offset, None, end
        self.kept, self.done = min(before, kept), min(self.done, kept)

    def go_back(self, offset: int) -> None:
        """What is from there on is not done any more, but for what Kafka has."""
        self.done = min(self.done, max(offset, self.committed or 0))

    def hear(self, offset: int) -> None:
        """Kafka has this offset; one of an old log is as none, and is written over."""
        self.committed = max(offset if self._is_of_this_log(offset) else -1, self._heard())

    def effective(self, offset: int) -> int:
        """Before where all has its effects, when Kafka has this offset."""
        if self._is_of_this_log(offset):
            return offset
        return heard if (heard := self._heard()) >= 0 else int(self.kept)

    def _heard(self) -> int:
        return -1 if self.committed is None else self.committed

    def _is_of_this_log(self, offset: int) -> bool:
        return offset <= max(self.reach, self.next, self.done)
