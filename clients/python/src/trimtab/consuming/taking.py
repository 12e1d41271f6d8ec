"""Taking: the application comes back, and gets the next message, or the next batch of them.

The thread that does this waits while there is nothing. It is the application's own (`Consumer`), or
one that waits for an event loop (`AsyncConsumer`), which may give the wait up. Its one rule: to
come back says that what was handed out before is done; but a new loop is not the old one's return.
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Final

from trimtab.clock import now_s
from trimtab.consuming.one_thread import OneThread

if TYPE_CHECKING:
    from confluent_kafka import Message

    from trimtab.consuming.intake import Intake

_SLICE_S: Final = 0.1
"""How late it is noticed that somebody hangs in the client; who is in no turn is done sooner."""


class Taking:
    """Takes messages of one intake, until `is_over` says so, or raises what ended it."""

    def __init__(self, intake: "Intake", is_over: Callable[[], bool]) -> None:
        self._intake, self._is_over = intake, is_over
        self.alone = OneThread()
        """Who takes, of an application's threads."""
        self.given_up = False
        """Whether a wait ends at once. Another thread than the one that waits may set it."""
        self.in_loop = False
        """Whether a loop has what was handed out last, and has not come back for more."""
        self._begins = False
        """Whether a loop begins, so that what the one before was left with comes again."""

    @property
    def has_polled(self) -> bool:
        """Whether what a `poll` gave is in hand: it is done when that is asked for the next one."""
        return not (self.in_loop or self._intake.gone or self.has_nothing)

    @property
    def has_nothing(self) -> bool:
        """Whether nothing is in hand."""
        return self._intake.hand.is_empty()

    def forked(self) -> None:
        """This is a copy in another process: what was fetched is handed out there."""
        self.alone.is_forked = self._intake.turn.is_forked = True
        self._intake.stop()

    def begin(self) -> None:
        """A loop begins."""
        self._intake.turn.heal()
        self._begins, self.in_loop = self._begins or self.in_loop, False

    def poll(self) -> None:
        """The next one is asked for by itself: the one before is done, whoever asked for that."""
        self._intake.turn.heal()
        self._begins = self.in_loop = False

    def each(self) -> "Iterator[Message]":
        """Take message after message, for a loop that may wait without an end."""
        intake, hand, now, alone = self._intake, self._intake.hand, now_s, self.alone
        alone.enter()
        self.begin()
        self._go_back()
        self.in_loop = True  # or it has come back, and nothing is in hand
        while True:
            hand.at = at = hand.at + 1  # the one before is done
            if now() >= intake.due:
                alone.enter()  # a loop may have gone to another thread
                intake.look()
                if self._is_over():
                    alone.took(None)
                    return
                at = hand.at
            if at < len(hand.messages):
                yield hand.messages[at]
            else:
                intake.fetch(math.inf)

    def at_hand(self, until: float = math.inf) -> "Message | None":
        """Take the next one if it is there, until then; `wait` for it if not. It never waits."""
        if self._begins:
            return None
        intake, hand = self._intake, self._intake.hand
        hand.at = at = hand.at + 1  # the one before is done
        now = now_s()
        if now < intake.due and now < until and at < len(hand.messages):
            return hand.messages[at]
        return None

    def next(self, until: float) -> "Message | None":
        """Take the next one, if there is one by then, on the clock of `trimtab.clock.now_s`."""
        message = self.at_hand()
        return message if message is not None else self.wait(until)

    def wait(self, until: float) -> "Message | None":
        """Go on where `at_hand` had none."""
        intake, hand, left = self._intake, self._intake.hand, math.inf
        if self._begins:
            self._go_back()
            hand.at += 1
        while True:
            if now_s() >= intake.due:
                intake.look()
            if -1 < hand.at < len(hand.messages):
                return hand.messages[hand.at]
            if self._is_over() or self.given_up or left <= 0:
                return None
            left = until - now_s()  # who does not want to wait gets what is there all the same
            intake.fetch(left)
            hand.at += 1

    def batch(self, size: int, patience_s: float) -> "list[Message]":
        """Take so many, or what has come by so long after the first; none if it is over."""
        intake, late = self._intake, math.inf
        self._go_back()
        intake.hand.at += 1  # as of `at_hand`, if that came before
        while True:
            count = intake.collect(size, math.inf)
            now = now_s()
            if self._is_over() or self.given_up:
                return []
            late = min(late, now + patience_s) if count else math.inf
            if (count >= size or now >= late) and (batch := intake.hand_out(size)):
                return batch

    def _go_back(self) -> None:
        """What a loop was left with has not been finished."""
        if self._begins and not self.has_nothing:
            self._intake.put_back()
        self._begins = False

    def put_back(self) -> None:
        """What was handed out last has not reached the application: it waits again."""
        self._intake.put_back()

    def wait_for(self, done: Future[None]) -> None:
        """Wait until what was handed out last is put back, behind a wait that was given up.

        Raises:
            StuckError: That one hangs in the client, and the turns are limited.
        """
        while not wait([done], _SLICE_S).done:
            with self._intake.turn:  # the client is asked in one
                pass
        done.result()
