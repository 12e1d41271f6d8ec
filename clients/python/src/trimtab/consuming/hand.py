"""What is in hand: messages that were fetched, and how far the application has come with them.

No set, no dict and no lock is touched for a message: to hand one out is to move an index. What is
done and what is not is worked out of that when a commit or a hand-over asks.

The thread that takes messages writes `at` first, and asks `Intake.due` after that; a thread that
changes what may be handed out sets `due` first, and reads `at` after that. So at least one of them
sees what the other has written. Pure. What was handed out stays in hand until the application has
come back.
"""

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Generic, TypeVar

from trimtab.protocol import QueueRef

M = TypeVar("M")
Place = tuple[QueueRef, int]
Firsts = dict[QueueRef, int]
"""Of each queue the first of some messages."""


class Hand(Generic[M]):
    """The messages of one consumer; `place` says where a message stands."""

    __slots__ = (
        "_back",
        "_foreign",
        "_last",
        "_of",
        "_place",
        "at",
        "batch",
        "finished",
        "messages",
    )

    def __init__(
        self, place: Callable[[M], Place], of: Callable[[M], Hashable] | None = None
    ) -> None:
        """Take where a message stands; who also tells cheaply of which queue it is, remembers."""
        self._place, self._of = place, of
        self._last: Firsts = {}
        """Of each queue the last that the application has come back from."""
        self._back: Firsts = {}
        """Of queues of which something is in hand: where to the application has gone last."""
        self.messages: list[M] = []
        self.at = -1
        """The message that was handed out last; those before it are done, those after it wait."""
        self.batch: list[M] = []
        """What was handed out at once."""
        self.finished: dict[QueueRef, int] = {}
        """The last of each queue that was committed since the application came back."""
        self._foreign: set[QueueRef] = set()
        """Queues that were lost while something of them was in hand."""

    def in_hand(self) -> Firsts:
        """What the application works on, of queues that it still has."""
        firsts = self._firsts(self._handed_out())
        return {queue: at for queue, at in firsts.items() if queue not in self._foreign}

    def is_working_on(self, queue: QueueRef) -> bool:
        """Whether the application has something of a queue that it has not committed."""
        places = map(self._place, self._handed_out())
        return any(it == queue and not self._is_over(it, at) for it, at in places)

    def is_empty(self) -> bool:
        """Whether the application works on nothing, not even of queues that were lost."""
        return not self._handed_out()

    def waiting(self) -> Firsts:
        """What was not handed out yet."""
        return self._firsts(self.messages[self.at + 1 :])

    def last(self, queue: QueueRef) -> int:
        """The last message of a queue that was handed out, by a hand that remembers; -1: none."""
        if queue in self._foreign:
            return -1
        places = map(self._place, [*self.batch, *self.messages[: self.at + 1]])
        return {**self._last, **dict(places)}.get(queue, -1)

    def go_back(self, queue: QueueRef, offset: int) -> None:
        """What comes next is this: what was handed out after it is to be handed out again."""
        if queue in self._last:
            self._last[queue] = min(self._last[queue], offset - 1)
        if any(self._place(it)[0] == queue for it in self._handed_out()):
            self._back[queue] = offset

    @property
    def moved(self) -> Firsts:
        """Where to the application has gone while it had something in hand."""
        return dict(self._back)

    def comes_again(self, queue: QueueRef, offset: int) -> bool:
        """Whether the application has gone back to before a message that it has in hand."""
        return offset >= self._back.get(queue, offset + 1)

    def come_back(self) -> None:
        """The application asks for more: nothing is in hand, and what `at` names waits again."""
        self._remember()
        self._back.clear()
        self.messages, self.at = self.messages[max(0, self.at) :], -1
        self.batch = []
        self.finished.clear()
        self._foreign.clear()

    def put_back(self) -> None:
        """What was handed out last waits again, unless it is lost, or was said to be finished.

        What the application has gone back to, or to before it, is read again.
        """
        # After a message the batch that came before it is done.
        if self.at >= 0:
            self._remember()
        unheard = self.messages[self.at :] if self.at >= 0 else [*self.batch, *self.messages]
        self.messages = [it for it in unheard if self._waits_again(*self._place(it))]
        self._back.clear()
        self.batch, self.at = [], -1

    def hand_out(self, most: int) -> list[M]:
        """Hand out up to so many at once, after the application has come back."""
        if most >= len(self.messages):
            self.batch, self.messages = self.messages, []
        else:
            self.batch, self.messages = self.messages[:most], self.messages[most:]
        self.at = -1
        return self.batch

    def keep(self, queues: Collection[QueueRef]) -> None:
        """Drop what waits of other queues than these."""
        following = self.at + 1  # once: the application may take the next one meanwhile
        kept = [it for it in self.messages[following:] if self._place(it)[0] in queues]
        self.messages = [*self.messages[:following], *kept]

    def disown(self, queue: QueueRef) -> None:
        """What is in hand of a queue, and what was, concerns nobody any more."""
        self._foreign.add(queue)
        self._last.pop(queue, None)

    def is_foreign(self, queue: QueueRef) -> bool:
        """Whether what is in hand of a queue came under a grant that has ended."""
        return queue in self._foreign

    def _remember(self) -> None:
        """Note what the application has come back from."""
        if self._of is None:
            return
        lasts = {self._of(it): it for it in [*self.batch, *self.messages[: max(0, self.at)]]}
        places = map(self._place, lasts.values())
        for queue, at in places:
            if queue not in self._foreign:
                self._last[queue] = min(at, self._back.get(queue, at + 1) - 1)

    def _waits_again(self, queue: QueueRef, at: int) -> bool:
        return not (self._is_over(queue, at) or self.comes_again(queue, at))

    def _is_over(self, queue: QueueRef, at: int) -> bool:
        return queue in self._foreign or at <= self.finished.get(queue, -1)

    def _handed_out(self) -> list[M]:
        last = self.messages[self.at : self.at + 1] if self.at >= 0 else []
        return [*self.batch, *last]

    def _firsts(self, messages: Iterable[M]) -> Firsts:
        firsts: Firsts = {}
        for queue, offset in map(self._place, messages):
            firsts[queue] = min(offset, firsts.get(queue, offset))
        return firsts
