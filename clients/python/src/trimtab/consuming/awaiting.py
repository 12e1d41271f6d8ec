"""Awaiting: a task of an event loop takes message after message.

Most of them are at hand, and then a step of a loop awaits nothing. It is a step of a generator,
which costs half of what a coroutine for each message does. Used by `AsyncConsumer`. Its one rule:
unless the same task comes back, and soon, and nobody has taken anything between, a step asks
everything anew.
"""

import math
from asyncio import current_task, get_running_loop
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from typing import TYPE_CHECKING, Final, Self

from trimtab.clock import now_s
from trimtab.consuming.offload import Offload
from trimtab.consuming.taking import Taking

if TYPE_CHECKING:
    from confluent_kafka import Message

_BREATH_S: Final = 0.01
"""After so long other tasks get their turn, though messages are at hand and no handler waits."""


class Awaiting:
    """Takes what is at hand, or has a thread wait; that lets other tasks run, too."""

    def __init__(self, taking: Taking, offload: Offload) -> None:
        self._taking, self._offload = taking, offload
        self._breathe_at = 0.0

    def begin(self) -> None:
        """A loop begins."""
        self._offload.begin()
        self._taking.begin()

    def refuse_another(self) -> None:
        """Make no step while one waits: a generator would fail, or end, with a second one."""
        self._offload.refuse_another()

    async def next(self, until: float) -> "Message | None":
        """Take the next one, after `enter`, if there is one by then."""
        taking, offload = self._taking, self._offload
        if offload.is_free:
            message = taking.at_hand(self._breathe_at)
            return message if message is not None else await self._wait(until)
        message = await offload.take(lambda: taking.next(until))
        self._breathe_at = now_s() + _BREATH_S
        return message

    async def step(self) -> "Message | None":
        """Come back with the one before, and take the next one, for a loop."""
        self._offload.enter()
        self._taking.in_loop = False
        message = await self.next(math.inf)
        self._taking.in_loop = message is not None
        return message

    async def each(self, ended: list[bool]) -> "AsyncGenerator[Message, None]":
        """Take one after the other; say at the end that it is over, however it ends."""
        taking, offload, loop = self._taking, self._offload, get_running_loop()
        try:
            while (message := await self.step()) is not None:
                yield message
                while taking.in_loop and current_task(loop) is offload.comer:
                    message = taking.at_hand(self._breathe_at)
                    if message is None:
                        taking.in_loop = False
                        message = await self._wait(math.inf)
                        taking.in_loop = message is not None
                    if message is None:
                        return
                    yield message
        finally:
            ended.append(True)

    async def _wait(self, until: float) -> "Message | None":
        """Go on where nothing was at hand."""
        message = await self._offload.take(lambda: self._taking.wait(until))
        self._breathe_at = now_s() + _BREATH_S
        return message


class Loop(AsyncIterator["Message"]):
    """The messages of one loop, or of more, one after the other, if a program keeps it.

    A generator would be over with the first task that is cancelled, or refused, in it.
    """

    __slots__ = ("_awaiting", "_ended", "_step")

    def __init__(self, awaiting: Awaiting) -> None:
        self._awaiting = awaiting
        self._renew()

    def __aiter__(self) -> Self:
        """A loop begins: with what the one before was left with."""
        self._awaiting.begin()
        return self

    def __anext__(self) -> "Awaitable[Message]":
        """Take the next one; the one before is done.

        Raises:
            RuntimeError: Another task waits for messages.
        """
        self._awaiting.refuse_another()
        if self._ended:
            self._renew()
        return self._step()

    def _renew(self) -> None:
        self._ended = list[bool]()
        self._step = self._awaiting.each(self._ended).__anext__
