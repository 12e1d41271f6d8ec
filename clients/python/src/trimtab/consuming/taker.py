"""A taker: the thread that takes messages for an event loop, one piece of work after the other.

Python waits at its end for a `ThreadPoolExecutor`, and this thread may wait for messages
without an end. Used by `offload`. Its one rule: it keeps no process from ending.
"""

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
_Work = tuple[Callable[[], Any], Future[Any]]


class Taker:
    """One thread, from the first work on; it ends with its owner at the latest."""

    def __init__(self, name: str) -> None:
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        self._thread = threading.Thread(target=_run, args=(self._work,), name=name, daemon=True)
        weakref.finalize(self, self._work.put, None)

    def submit(self, do: Callable[[], T]) -> "Future[T]":
        """Have this done when all before it is; it cannot be called off."""
        if self._thread.ident is None:
            self._thread.start()
        answer: Future[T] = Future()
        answer.set_running_or_notify_cancel()
        self._work.put((do, answer))
        return answer

    def finish(self) -> None:
        """End, when all before this is done. It waits for nothing."""
        self._work.put(None)


def _run(work: "SimpleQueue[_Work | None]") -> None:
    while (item := work.get()) is not None:
        do, answer = item
        try:
            answer.set_result(do())
        except BaseException as error:  # noqa: BLE001 - who waits for it hears of it
            answer.set_exception(error)
        del item, do, answer  # what was taken is the application's alone
