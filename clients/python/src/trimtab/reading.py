"""What is being read: for each queue, which messages were handed out, and which are done.

A message that was polled is in hand until the application says that it is done, in any order. What
may be committed is the position: the first message that is not done. A reader that begins there
misses nothing.

Used by `ConsumerBinding`. Its one rule: a position never passes a message that is in hand.
"""

import threading
from collections.abc import Iterable, Mapping

from trimtab.protocol import QueueRef
from trimtab.session import Grant


class Reading:
    """How far a queue has been read and worked on, under one grant."""

    def __init__(self, grant: Grant, start: int, committed: int | None = None) -> None:
        self.grant = grant
        self.next = start
        """The first message that was not handed out yet."""
        self.committed = committed
        """What Kafka is known to have; None: not known."""
        self.ending = False
        """Whether the queue is being given up: nothing more is handed out."""
        self._in_hand: set[int] = set()

    @property
    def in_hand(self) -> bool:
        """Whether something was handed out that is not done."""
        return bool(self._in_hand)

    @property
    def position(self) -> int:
        """Where another reader has to begin."""
        return min(self._in_hand, default=self.next)

    def take(self, offset: int) -> bool:
        """Hand out a message; False: it was handed out before, or the queue is given up."""
        if self.ending or offset < self.next:
            return False
        self._in_hand.add(offset)
        self.next = offset + 1
        return True

    def done(self, offset: int) -> bool:
        """Take note that a message is done; False: it was not in hand."""
        if offset not in self._in_hand:
            return False
        self._in_hand.remove(offset)
        return True

    def all_done(self) -> None:
        """Take note that everything in hand is done."""
        self._in_hand.clear()

    def give_back(self) -> None:
        """Give up what is in hand: the next reader gets it again."""
        self.next = self.position
        self._in_hand.clear()


class Readings:
    """All readings, for the threads that read, work and hand over. Its lock is held briefly."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._all: dict[QueueRef, Reading] = {}
        self._over = False

    @property
    def waiting(self) -> bool:
        """Whether a queue that is given up still has messages in hand."""
        with self._changed:
            return any(it.ending and it.in_hand for it in self._all.values())

    def begin(self, readings: list[Reading]) -> None:
        """Read these as well."""
        with self._changed:
            self._all |= {it.grant.queue: it for it in readings}

    def find(self, queues: Iterable[QueueRef]) -> list[Reading]:
        """The readings of queues that are not given up."""
        with self._changed:
            found = [self._all.get(queue) for queue in queues]
            return [it for it in found if it is not None and not it.ending]

    def every(self) -> list[Reading]:
        """All that is read."""
        with self._changed:
            return list(self._all.values())

    def uncommitted(self) -> list[Reading]:
        """Those of which Kafka is not known to have the position."""
        with self._changed:
            return [it for it in self._all.values() if it.position != it.committed]

    def positions(self, readings: list[Reading]) -> dict[Grant, int]:
        """Where others would have to begin."""
        with self._changed:
            return {it.grant: it.position for it in readings}

    def take(self, reading: Reading, offset: int) -> bool:
        """Hand out a message."""
        with self._changed:
            return not self._over and reading.take(offset)

    def done(self, messages: Iterable[tuple[QueueRef, int]]) -> bool:
        """Messages are done; tell whether all of them were in hand."""
        with self._changed:
            readings = [(self._all.get(queue), offset) for queue, offset in messages]
            counted = [it is not None and it.done(offset) for it, offset in readings]
            self._changed.notify_all()
        return all(counted)

    def all_done(self) -> None:
        """Everything in hand is done."""
        with self._changed:
            for reading in self._all.values():
                reading.all_done()
            self._changed.notify_all()

    def give_back(self) -> None:
        """Give up everything, and hand out nothing more."""
        with self._changed:
            self._over = True
            for reading in self._all.values():
                reading.give_back()
            self._changed.notify_all()

    def end(self, grants: Iterable[Grant]) -> list[Reading]:
        """Hand out nothing more of these; those that had ended before are not named again."""
        with self._changed:
            found = [(grant, self._all.get(grant.queue)) for grant in grants]
            ending = [it for grant, it in found if it and it.grant == grant and not it.ending]
            for reading in ending:
                reading.ending = True
        return ending

    def forget(self, readings: list[Reading]) -> None:
        """These belong to another member now."""
        with self._changed:
            for reading in readings:
                if self._all.get(reading.grant.queue) is reading:
                    del self._all[reading.grant.queue]

    def committed(self, positions: Mapping[Grant, int]) -> None:
        """Kafka has these."""
        with self._changed:
            for grant, offset in positions.items():
                reading = self._all.get(grant.queue)
                if reading is not None and reading.grant == grant:
                    reading.committed = offset

    def wait(self, seconds: float) -> None:
        """Wait until something is done, or for so long."""
        with self._changed:
            self._changed.wait(seconds)
