"""Claims: who changes what is worked on, queue by queue.

To finish a queue may take as long as a message that is in hand of it. Whoever comes for the same
queue meanwhile waits; whoever comes for another one does not. Used by `mover`. Its one rule: a
queue is claimed by one at a time.
"""

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from trimtab.protocol import QueueRef


class Claims:
    """The queues that somebody changes at this moment."""

    def __init__(self) -> None:
        self._taken: set[QueueRef] = set()
        self._given_back = threading.Condition()

    @contextmanager
    def of(self, queues: Collection[QueueRef]) -> Iterator[None]:
        """Change these in the block, after those who do so now."""
        with self._given_back:
            self._given_back.wait_for(lambda: self._taken.isdisjoint(queues))
            self._taken.update(queues)
        try:
            yield
        finally:
            self._give_back(queues)

    @contextmanager
    def of_free(self, queues: Collection[QueueRef]) -> Iterator[set[QueueRef]]:
        """Change in the block those of these that nobody changes now."""
        with self._given_back:
            free = set(queues) - self._taken
            self._taken |= free
        try:
            yield free
        finally:
            self._give_back(free)

    def _give_back(self, queues: Collection[QueueRef]) -> None:
        with self._given_back:
            self._taken.difference_update(queues)
            self._given_back.notify_all()
