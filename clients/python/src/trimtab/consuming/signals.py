"""SIGTERM and Ctrl-C end the loops of the consumers whose blocks run.

A handler is put in place only by the main thread, and only where the application has none of its
own; that of `asyncio.run`, which cancels the main task, is not the application's. The first signal
asks all blocks there are for a good end and takes the handler away, so a second one does what it
does without us. So does one that comes while all are being left, as soon as they are. Used by
`Reader`. Its one rule: the handler takes no lock.
"""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

_DEFAULTS: Final = {
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGINT: signal.default_int_handler,
}


_LIVE: Final[dict[int, list["Signals"]]] = {number: [] for number in _DEFAULTS}
"""The blocks that a signal ends: a process may have several consumers."""
_BEFORE: Final[dict[int, Any]] = {}
"""What the first of them found in place."""
_PROCESS: Final = [0]
"""In which process that was."""


class Signals:
    """The part of one block in the handlers."""

    def __init__(self, stop: Callable[[], object], is_leaving: Callable[[], object] = bool) -> None:
        self._stop, self.is_leaving = stop, is_leaving
        self._late: list[int] = []
        """Signals that came while the block was being left: it is no loop that they end."""

    def take(self) -> None:
        """Put them in place, or join the block that has."""
        if threading.current_thread() is not threading.main_thread():
            return
        here = os.getpid()
        others = _LIVE if _PROCESS[0] == here else {}  # the blocks of who has forked are not ours
        for number, default in _DEFAULTS.items():
            before = signal.getsignal(number)
            if before == default or _is_asyncios(before):
                _BEFORE[number], _LIVE[number], _PROCESS[0] = before, [self], here
                signal.signal(number, _hear)
            elif before is _hear:
                _LIVE[number], _PROCESS[0] = [*others.get(number, ()), self], here

    def give_back(self) -> None:
        """Leave them to the others; the last block takes them away, unless somebody has done so.

        What came too late to end a loop does then what it does without us.
        """
        for number, blocks in _LIVE.items():
            if self in blocks:  # who has joined, on the main thread
                _LIVE[number] = [it for it in blocks if it is not self]
                if not _LIVE[number]:
                    _restore(number)
        while self._late:
            signal.raise_signal(self._late.pop())

    def hear(self) -> None:
        """End the block."""
        self._stop()

    def hear_late(self, number: int) -> None:
        """Have it count when the block is left, which it is in good order."""
        self._late.append(number)


def _hear(number: int, frame: FrameType | None) -> None:
    del frame
    if os.getpid() != _PROCESS[0]:  # of a fork, whose blocks are the other process's
        _restore(number)
        signal.raise_signal(number)
        return
    if _LIVE[number] and all(it.is_leaving() for it in _LIVE[number]):
        _LIVE[number][0].hear_late(number)  # who was first leaves last
        _restore(number)
        return
    for it in _LIVE[number]:
        it.hear()
        it.give_back()


def _restore(number: int) -> None:
    if signal.getsignal(number) is _hear:
        signal.signal(number, _BEFORE[number])


def _is_asyncios(handler: object) -> bool:
    """Whether it is a method of `asyncio.Runner`, which nobody has to import for this."""
    owner = getattr(getattr(handler, "func", None), "__self__", None)
    return type(owner).__module__ == "asyncio.runners"
