"""Callbacks of an asyncio program: functions or coroutines, which run on its event loop.

A member tells of changes on threads of its own. Each of these waits until the loop has run the
callback; the loop waits for none of them. Used by `trimtab.aio.Member` and `AsyncConsumer`.
"""

import asyncio
import concurrent.futures
import inspect
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from trimtab.errors import ConfigurationError

T = TypeVar("T")
N = TypeVar("N")

_LOOK_S: Final = 1.0
"""How late a thread notices that the loop has ended, and will never run what it waits for."""


class LoopCalls:
    """The callbacks of one member."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        """Where they run, once the member was entered."""
        self.task: asyncio.Task[object] | None = None
        """What runs a callback, or ran the last one."""

    def on_loop(
        self, name: str, callback: Callable[[N], Awaitable[T] | T] | None
    ) -> Callable[[N], T] | None:
        """Make of a callback a function that any other thread may call."""
        if callback is None:
            return None
        if not callable(callback):
            raise ConfigurationError(f"{name}: {callback!r} cannot be called")

        async def call(news: N) -> T:
            self.task = asyncio.current_task()
            answer = callback(news)
            return await answer if inspect.isawaitable(answer) else answer

        def run(news: N) -> T:
            loop = self.loop
            assert loop is not None, "the member has not been entered yet"
            if loop.is_closed():
                raise RuntimeError(f"{name}: the event loop is closed")
            future = asyncio.run_coroutine_threadsafe(call(news), loop)
            while not concurrent.futures.wait([future], _LOOK_S).done:
                if loop.is_closed():
                    future.cancel()
            return future.result()

        return run
