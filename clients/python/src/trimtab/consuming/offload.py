"""Offload: what may wait runs on threads, so that an event loop never does.

One thread takes messages, and another does what is asked for beside that, so a commit does not wait
for messages. A third ends the consumer: callbacks that are told meanwhile may ask for something,
too. They are the consumer's own: the threads that an application fills with its work are not in its
way.

A task that is cancelled while it waits gets nothing. What the thread has taken for it by then is
put back, before anything else is done.

Used by `AsyncConsumer`. Whatever is taken reaches the application, or waits again.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from trimtab.consuming.taker import Taker
from trimtab.consuming.taking import Taking

T = TypeVar("T")
_REFUSAL: Final = "one task at a time takes messages from a consumer"


class Offload:
    """The threads of one consumer. Its methods are called on the event loop only."""

    def __init__(self, taking: Taking) -> None:
        self._taking = taking
        self._taker = Taker("trimtab-taking")
        self._others = ThreadPoolExecutor(1, "trimtab-beside")
        self._ender = ThreadPoolExecutor(1, "trimtab-ending")
        self._ended = False
        self._putting_back: Future[None] | None = None
        self._busy = False
        self.comer: asyncio.Task[object] | None = None
        """Who came for messages last; nobody, when that one was cancelled while it waited."""

    @property
    def is_free(self) -> bool:
        """Whether the loop itself may take what is at hand."""
        return not self._busy and self._putting_back is None

    def enter(self) -> None:
        """Come for messages, which says that those before are done.

        Raises:
            RuntimeError: Another task waits for messages, or works on some.
        """
        me, last = _this_task(), self.comer
        is_free = last is None or last is me or last.done() or self._taking.has_nothing
        if self._busy or not is_free:
            raise RuntimeError(_REFUSAL)
        self.comer = me

    def begin(self) -> None:
        """Begin a loop: what another was left with was not finished, and comes again.

        Raises:
            RuntimeError: Another task waits for messages.
        """
        self.refuse_another()
        self.comer = _this_task()

    def refuse_another(self) -> None:
        """See that nobody waits.

        Raises:
            RuntimeError: A task waits for messages.
        """
        if self._busy:
            raise RuntimeError(_REFUSAL)

    async def take(self, work: Callable[[], T]) -> T:
        """Take messages, after `enter`, when what was put back is in its place."""
        self._taking.alone.demand_here()
        self._busy = True
        try:
            await self._settled()
            self._taking.given_up = False
            if self._ended:  # for a task that comes back late; there is nothing to take
                return await asyncio.to_thread(work)
            taken = self._taker.submit(work)
            try:
                return await asyncio.shield(asyncio.wrap_future(taken))
            except asyncio.CancelledError:
                self._taking.given_up, self.comer = True, None
                if not self._ended:
                    self._putting_back = self._taker.submit(self._taking.put_back)
                raise
        finally:
            self._busy = False

    async def beside(self, work: Callable[[], T]) -> T:
        """Do something else."""
        await self._settled()
        return await self._beside(work)

    async def end(self, work: Callable[[], object]) -> None:
        """Do the last thing, also for a task that is cancelled once more, and end the threads."""
        ended = self._ender.submit(work)
        try:
            await asyncio.shield(asyncio.wrap_future(ended))
        finally:
            self._ended = True
            self._taker.finish()
            for threads in (self._others, self._ender):
                threads.shutdown(wait=False)  # what they do is done first

    async def _beside(self, work: Callable[[], T]) -> T:
        if self._ended:
            return await asyncio.to_thread(work)
        return await asyncio.shield(asyncio.wrap_future(self._others.submit(work)))

    async def _settled(self) -> None:
        if (future := self._putting_back) is not None:
            try:
                await self._beside(lambda: self._taking.wait_for(future))
            finally:
                if future.done() and self._putting_back is future:
                    self._putting_back = None


def _this_task() -> "asyncio.Task[object] | None":
    """Who calls; an iterator may be made before there is a loop."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
