"""Places: where to go on with a queue, as far as that is beyond what was committed last.

The last owner on trimtab's side may have said where it stopped, and what was finished here may not
be committed yet. Pure. Used by `mover`. Its one rule: each counts once, because on the other side
the queue may be read again from before, or begin anew.
"""

from trimtab.moving.sides import LastCommit
from trimtab.protocol import QueueRef
from trimtab.session import Grant


class Places:
    """What is known of the queues of one process."""

    def __init__(self) -> None:
        self._finished: dict[QueueRef, tuple[LastCommit, int]] = {}
        """What came next, and the last commit then: who has committed since knows better."""
        self._used: dict[QueueRef, int] = {}
        """The token of the last grant that has said a place."""

    def next(self, grant: Grant, last: LastCommit) -> int | None:
        """Return where to go on under a grant, and forget it."""
        queue = grant.queue
        then, finished = self._finished.pop(queue, (last, None))
        places = {last.offset, finished if then == last else None}
        if grant.position is not None and self._used.get(queue) != grant.token:
            self._used[queue] = grant.token
            places.add(grant.position)
        return max((it for it in places if it is not None), default=None)

    def finish(self, queue: QueueRef, last: LastCommit, at: int) -> None:
        """Keep where to go on, until it is committed."""
        self._finished[queue] = last, at

    def commit(self, queue: QueueRef) -> None:
        """Kafka has it."""
        self._finished.pop(queue, None)
