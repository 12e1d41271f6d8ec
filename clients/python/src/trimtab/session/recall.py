"""Recent releases: who let go of which queue, under which epoch, and where.

A release and the grant that waits for it travel by different topics, so an heir may read the
release first. It keeps recent ones for a while. Forgetting one is safe, only slower: the controller
confirms every heir in its next batch.
"""

from trimtab.protocol import QueueRef, Release
from trimtab.protocol.limits import QUEUES_PER_RECORD

Source = tuple[str, str, int]
"""Who has to let go: member, incarnation and epoch, exactly."""

CAPACITY = 2 * QUEUES_PER_RECORD
"""Releases kept: two of the largest records there are, some 4 MB."""


class Recall:
    """The latest releases, oldest forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._positions: dict[tuple[QueueRef, Source], int | None] = {}

    def hear(self, release: Release) -> None:
        """Keep a release."""
        for row in release.queues:
            source = (release.member, release.incarnation, row.epoch)
            self._positions[row.queue, source] = row.position
        while len(self._positions) > self._capacity:
            del self._positions[next(iter(self._positions))]

    def heard(self, queue: QueueRef, source: Source) -> bool:
        """Whether this exact release was heard."""
        return (queue, source) in self._positions

    def position(self, queue: QueueRef, source: Source) -> int | None:
        """Where that owner stopped, as far as it said."""
        return self._positions.get((queue, source))
