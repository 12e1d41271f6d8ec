"""Places: where to go on with a queue, as far as that is beyond what was committed last.

The last owner on trimtab's side may have said where it stopped, and what was finished here may not
be committed yet. Pure. Used by `mover`. Its one rule: each counts once, because on the other side
the queue may be read again from before, or begin anew.
"""

from collections import deque
from typing import Final

from trimtab.moving.sides import LastCommit
from trimtab.protocol import QueueRef
from trimtab.session import Grant

_SENT: Final = 100
"""So many commits of a queue are remembered: of some minutes in which Kafka answers to none."""


class Places:
    """What is known of the queues of one process."""

    def __init__(self) -> None:
        self._finished: dict[QueueRef, tuple[LastCommit, int]] = {}
        """What came next, and the last commit then: who else has committed since knows better."""
        self._sent: dict[QueueRef, deque[int]] = {}
        """What was committed here since a queue was begun, whether Kafka has said so or not."""
        self._used: dict[QueueRef, int] = {}
        """The token of the last grant that has said a place."""

    def next(self, grant: Grant, last: LastCommit) -> int | None:
        """Return where to go on under a grant, and forget it."""
        queue = grant.queue
        then, finished = self._finished.pop(queue, (last, None))
        sent = self._sent.pop(queue, ())
        is_ours = last.side == then.side and last.offset in sent
        places = {last.offset, finished if then == last or is_ours else None}
        if grant.position is not None and self._used.get(queue) != grant.token:
            self._used[queue] = grant.token
            places.add(grant.position)
        return max((it for it in places if it is not None), default=None)

    def finish(self, queue: QueueRef, last: LastCommit, at: int) -> None:
        """Keep where to go on, until it is committed."""
        self._finished[queue] = last, at

    def send(self, queue: QueueRef, at: int) -> None:
        """Kafka may have it from now on."""
        self._sent.setdefault(queue, deque(maxlen=_SENT)).append(at)

    def commit(self, queue: QueueRef) -> None:
        """Kafka has it."""
        self._finished.pop(queue, None)
