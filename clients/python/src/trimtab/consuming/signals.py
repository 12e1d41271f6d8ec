"""SIGTERM and Ctrl-C end the loop of a consumer, as long as its block runs.

A handler is put in place only by the main thread, and only where the application has none of its
own; that of `asyncio.run`, which cancels the main task, is not the application's. The first signal
asks for a good end and takes the handler away, so a second one does what it does without us. Used
by `Reader`. Its one rule: the handler takes no lock.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

_DEFAULTS: Final = {
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}


class Signals:
    """The handlers of one block."""

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._before: dict[int, Any] = {}

    def take(self) -> None:
        """Put them in place."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number, default in _DEFAULTS.items():
            before = signal.getsignal(number)
            if before == default or _is_asyncios(before):
                self._before[number] = before
                signal.signal(number, self._hear)

    def give_back(self) -> None:
        """Take them away, unless somebody has done so."""
        for number, before in self._before.items():
            if signal.getsignal(number) == self._hear:
                signal.signal(number, before)
        self._before.clear()

    def _hear(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stop()
        self.give_back()


def _is_asyncios(handler: object) -> bool:
    """Whether it is a method of `asyncio.Runner`, which nobody has to import for this."""
    owner = getattr(getattr(handler, "func", None), "__self__", None)
    return type(owner).__module__ == "asyncio.runners"
