"""A share of a core: a process and all that it starts are stopped whenever they have used more.

As `cpulimit` does it, by SIGSTOP and SIGCONT, but for a family together: an executor's Java and its
Python work at the same time. What was not used is not saved up for later, but for a moment.

Used by ``scenes``. Whoever was stopped is let go on at the end.
"""

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from threading import Event, Thread
from typing import Final, Self

from bench.processor import family, used

_LOOK_S: Final = 0.01
_FAMILY_S: Final = 1.0
"""To look for new processes costs as much as many looks at known ones."""
_SAVED_S: Final = 0.05
"""Of processor time: what a family may use at once after a rest."""


class Share:
    """A family within its share, while the ``with`` block runs.

    Args:
        pid: Its eldest.
        share: Of one core.
    """

    def __init__(self, pid: int, share: float) -> None:
        self._pid, self._share = pid, share
        self._used: dict[int, float] = {}
        self._over = Event()
        self._thread = Thread(target=self._watch)
        self._began = time.monotonic()
        self._began_with = 0.0

    @property
    def cores(self) -> float:
        """What it has had since the beginning."""
        return (self._total() - self._began_with) / (time.monotonic() - self._began)

    def __enter__(self) -> Self:
        self._began, self._began_with = time.monotonic(), self._total()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        try:
            self._hold()
        finally:
            _send(self._used, signal.SIGCONT)

    def _hold(self) -> None:
        budget, last, before = 0.0, time.monotonic(), self._total()
        found, is_stopped = 0.0, False
        while not self._over.wait(_LOOK_S):
            now = time.monotonic()
            if now - found > _FAMILY_S:
                self._used |= dict.fromkeys(family(self._pid).keys() - self._used.keys(), 0.0)
                found = now
            total = self._total()
            earned = budget + (now - last) * self._share
            budget, last, before = min(earned, _SAVED_S) - (total - before), now, total
            if is_stopped is not (budget < 0):
                is_stopped = budget < 0
                _send(self._used, signal.SIGSTOP if is_stopped else signal.SIGCONT)

    def _total(self) -> float:
        """Return what all have used so far, also those that have ended."""
        if not self._used:
            self._used = dict.fromkeys(family(self._pid), 0.0)
        for pid in self._used:
            if (now := used(pid)) is not None:
                self._used[pid] = now
        return sum(self._used.values())


def _send(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):  # it has ended
            os.kill(pid, number)
