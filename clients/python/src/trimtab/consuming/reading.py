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

    def enter(self, offset: int, end: int) -> None:
        """Begin there in a log that was cut, or is another one, and ends here; Kafka is asked anew.

        It forgets what was committed in a topic that is deleted; where a log was cut, nothing.
        """
        self.next, self.done, self.committed, self.reach = offset, 0, None, end

    def go_back(self, offset: int) -> None:
        """What is from there on is not done any more, but for what Kafka has."""
        self.done = min(self.done, max(offset, self.committed or 0))

    def hear(self, offset: int) -> None:
        """Kafka has this offset; one of an old log is as none, and is written over."""
        known = offset if offset <= max(self.reach, self.next, self.done) else -1
        self.committed = max(known, -1 if self.committed is None else self.committed)
