"""A reading: one queue that is read under one grant, and what is known of its offsets.

Kept by `Intake`, under its turn. Pure. Its one rule: what Kafka is to have never goes back.
"""

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
        self.next, self.began = offset, min(self.began, offset)

    def go_back(self, offset: int) -> None:
        """What is from there on is not done any more, but for what Kafka has."""
        self.done = min(self.done, max(offset, self.committed or 0))

    def hear(self, offset: int) -> None:
        """Kafka has this offset."""
        self.committed = max(offset, -1 if self.committed is None else self.committed)
