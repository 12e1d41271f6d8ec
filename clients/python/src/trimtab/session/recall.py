"""Recent releases: of each grant that was released, what its first release said.

Of all releases of a grant (its holder's, its guard's, the controller's) the first in the log
counts, so that is the one to keep. A release and the grant that waits for it travel by different
topics, so an heir may read the release first. Recent ones are kept for a while. Forgetting one is
safe, only slower: the controller confirms every heir in its next batch.

Its one rule: a later release never counts, also if the first was forgotten. Grants of a queue are
released in the order of their epochs; so the highest epoch forgotten is all the memory this takes.
"""

from typing import NamedTuple

from trimtab.protocol import QueueRef, Release
from trimtab.protocol.limits import QUEUES_PER_RECORD

Source = tuple[str, str, int]
"""Whose grant it is: member, incarnation and epoch, exactly."""

CAPACITY = 2 * QUEUES_PER_RECORD
"""Releases kept: two of the largest records there are, some 4 MB."""


class Said(NamedTuple):
    """What a release says of a grant."""

    position: int | None
    """Where to go on, as far as it is known."""
    next: int | None
    """The grant that begins."""


class Recall:
    """The first release of each grant, oldest forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._firsts: dict[tuple[QueueRef, Source], Said] = {}
        self._forgotten: dict[QueueRef, int] = {}
        """The highest epoch of each queue whose release was forgotten."""

    def hear(self, release: Release) -> None:
        """Keep a release, of each grant that it is the first of."""
        for row in release.queues:
            if row.epoch > self._forgotten.get(row.queue, 0):
                source = (release.member, release.incarnation, row.epoch)
                self._firsts.setdefault((row.queue, source), Said(row.position, row.next))
        while len(self._firsts) > self._capacity:
            queue, source = oldest = next(iter(self._firsts))
            del self._firsts[oldest]
            self._forgotten[queue] = max(source[2], self._forgotten.get(queue, 0))

    def first(self, queue: QueueRef, source: Source) -> Said | None:
        """Return what the first release of exactly this grant said, if it was heard."""
        return self._firsts.get((queue, source))
