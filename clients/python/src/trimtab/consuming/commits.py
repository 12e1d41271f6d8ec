"""Writing a group's positions to Kafka, so that no commit outlives the time that it was given.

A commit that is sent again and again while the group's coordinator hangs may arrive when the queue
has long been somebody else's, and Kafka does not refuse that: of manually assigned consumers the
last writer wins. So each is sent once at most (`contract.Writer`), and given up after a while.

A consumer that calls `subscribe` under the same group id makes every commit fail
(UNKNOWN_MEMBER_ID) until it leaves. A coordinator that has just started, or is moving, answers with
errors for a while.

Each commit says in its metadata under which token and in which life of the member it was made, as
`trimtab:<token>:<incarnation>`: for people, and for tools that watch offsets.

Used by `upkeep` and `handover`. Its one rule: nothing is sent of a queue that is not owned at that
moment. When `write` returns nothing is on its way, and nothing of its queues when `withdraw` does.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import Any, Final

from trimtab.callbacks import Owned
from trimtab.consuming.contract import RefusedError, Writer
from trimtab.consuming.offsets import signature
from trimtab.errors import TransportError
from trimtab.session import Grant

Places = Mapping[Grant, int]

_LOGGER: Final = logging.getLogger("trimtab")
PATIENCE_S: Final = 2.0
"""The time of one commit. A member gives up its queues a fifth of its session before others may get
them, which is as long where that is 10 s; where it is less, it is taken back when they are lost."""
_LOOK_S: Final = 0.05
"""How late a wait notices that a queue is lost: as late as the member's thread."""


@dataclass(eq=False)
class _Sent:
    """A commit on its way."""

    places: Places
    answer: Future[Any]
    until: float
    is_lost: bool = False
    """Whether it was taken back because other members have the queues."""


class Commits:
    """Writes positions, one commit at a time, so that they arrive in order."""

    def __init__(
        self,
        writer: Writer,
        owned: Owned,
        written: Callable[[Places], None],
    ) -> None:
        self._writer = writer
        self._owned, self._written = owned, written
        self._turn = threading.Lock()
        """Held by the thread that writes, until there is an answer."""
        self._line = threading.Lock()
        """Held while something is sent or withdrawn, which takes no time."""
        self._sent: _Sent | None = None

    def write_by(self, writer: Writer) -> None:
        """Write by another one, before anything is written."""
        self._writer = writer

    def write(self, look: Callable[[], Places]) -> bool:
        """Write what there is then, and wait until Kafka has it, or another member has the queues.

        Returns:
            Whether all of that was ours to write.

        Raises:
            RefusedError: Kafka did not take it, or did not say so in a few seconds.
        """
        if not self._turn.acquire(timeout=2 * PATIENCE_S):  # its holder may have to wait twice
            self._let_go()
            raise unanswered()
        try:
            if (error := self._hear_out()) is not None:
                _LOGGER.warning("could not commit offsets, will retry: %s", error)
            sent, is_all = self._send(look)
            while sent is not None and self._is_awaited(sent):
                if self._owned(sent.places).grants != sent.places.keys():
                    sent.is_lost = True
                    self._let_go()
                wait([sent.answer], _LOOK_S)
            if sent is not None:
                self._take(sent)
            return is_all
        finally:
            self._turn.release()

    def write_soon(self, look: Callable[[], Places]) -> None:
        """Write what there is, if nothing else is written; `hear` sees to what becomes of it."""
        if self._turn.acquire(blocking=False):
            try:
                if self._sent is None:
                    self._send(look)
            finally:
                self._turn.release()

    def hear(self) -> None:
        """Take the answer to what was written, or give it up when there is none in time.

        Raises:
            RefusedError: Kafka did not take it. It is written again.
        """
        sent = self._sent
        if sent is not None and self._is_awaited(sent):
            self.take_back()  # the watch does it sooner, but not once it has told that all is stuck
            return
        if sent is None or not self._turn.acquire(blocking=False):
            return
        try:
            error = self._hear_out()
        finally:
            self._turn.release()
        if error is not None:
            raise error

    def withdraw(self, grants: Collection[Grant]) -> None:
        """Let go of what is on its way, if it is about any of these."""
        with self._line:
            self._withdraw(grants)

    def take_back(self) -> None:
        """Let go of what is lost: a callback may hang, and `withdraw` wait behind it.

        It waits for no other thread: what is just being sent is looked at the next time.
        """
        if (sent := self._sent) is not None and self._line.acquire(blocking=False):
            try:
                self._withdraw(sent.places.keys() - self._owned(sent.places).grants)
            finally:
                self._line.release()

    def close(self) -> None:
        """Write nothing more."""
        with self._line:
            self._drop()

    def _send(self, look: Callable[[], Places]) -> tuple[_Sent | None, bool]:
        """Send what is owned; tell whether that is all there is."""
        with self._line:
            every = look()
            owned = self._owned(every)
            places = {it: every[it] for it in owned.grants}
            is_all = places.keys() == every.keys()
            if not places:
                return None, is_all
            answer = self._writer.write(
                {it.queue: (at, signature(it.token, owned.life)) for it, at in places.items()}
            )
            self._sent = _Sent(places, answer, time.monotonic() + PATIENCE_S)
            return self._sent, is_all

    def _let_go(self) -> None:
        with self._line:
            if self._sent is not None:
                self._drop()

    def _withdraw(self, grants: Collection[Grant]) -> None:
        if self._sent is not None and not self._sent.places.keys().isdisjoint(grants):
            self._sent.is_lost = True
            self._drop()

    def _drop(self) -> None:
        self._sent = None
        self._writer.drop()

    def _is_awaited(self, sent: _Sent) -> bool:
        return sent is self._sent and not sent.answer.done() and time.monotonic() < sent.until

    def _hear_out(self) -> RefusedError | None:
        """Wait for what another thread has sent; return what is wrong with it."""
        if (sent := self._sent) is None:
            return None
        while self._is_awaited(sent):
            wait([sent.answer], _LOOK_S)
        try:
            self._take(sent)
        except RefusedError as error:
            return error
        return None

    def _take(self, sent: _Sent) -> None:
        """Take an answer. A client without a good one is let go of: it may ask the wrong broker."""
        try:
            self._check(sent)
        except BaseException:
            self._let_go()
            if sent.is_lost:
                raise lost() from None
            raise
        self._sent = None
        self._written(sent.places)

    def _check(self, sent: _Sent) -> None:
        if not sent.answer.done():
            raise unanswered()
        self._writer.check(sent.answer)


def lost() -> RefusedError:
    """A commit was taken back: nothing is wrong with Kafka."""
    return RefusedError(TransportError("the queues of a commit are others' now"))


def unanswered() -> RefusedError:
    """Kafka has not said in time what became of a commit."""
    return RefusedError(TimeoutError("no answer to a commit"))
