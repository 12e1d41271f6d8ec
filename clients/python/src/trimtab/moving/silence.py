"""Silence: queues of trimtab's side that nobody gives back to Kafka's, though that is wanted.

Their owners have gone, and no controller has named others. An owner that lives gives a queue back
within seconds, or when its message in hand is finished; and if that takes longer than
`max_poll_interval`, it has lost the queue. So what stays the same for longer than that has no owner
any more, and Kafka's takes it. Pure. Used by `mover`.
"""

from collections.abc import Mapping

from trimtab.moving.sides import LastCommit, Side
from trimtab.protocol import QueueRef


class Silence:
    """What was seen of queues that are awaited; times come from the caller."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._seen: dict[QueueRef, tuple[LastCommit, float]] = {}
        """The last commit of each, and since when it is that."""

    def gone(
        self, now: float, wanted: Side | None, commits: Mapping[QueueRef, LastCommit]
    ) -> frozenset[QueueRef]:
        """Return those that have no owner any more."""
        there = {it: last for it, last in commits.items() if last.side == "trimtab"}
        awaited = there if wanted == "kafka" else {}
        before, self._seen = self._seen, {}
        for queue, last in awaited.items():
            was, since = before.get(queue, (last, now))
            self._seen[queue] = last, since if was == last else now
        return frozenset(
            queue for queue, (_, since) in self._seen.items() if now - since > self._patience_s
        )
