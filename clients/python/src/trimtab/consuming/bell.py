"""A bell: whoever waits for something looks again when it rings.

`threading.Event` would do, but for signal handlers that raise: it takes its lock in Python, and one
that raises just then leaves it taken for ever. Here nothing is taken. Used by `intake` and
`handover`. Its one rule: to ring waits for nobody.
"""

from contextlib import suppress
from queue import Empty, SimpleQueue


class Bell:
    """One thread hears it; where more wait, each looks again by itself soon enough."""

    def __init__(self) -> None:
        self._rung: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        """Ring."""
        if self._rung.empty():
            self._rung.put(None)

    def clear(self) -> None:
        """Forget that it has rung."""
        with suppress(Empty):
            while True:
                self._rung.get_nowait()

    def wait(self, timeout_s: float) -> None:
        """Wait until it rings, or has rung."""
        with suppress(Empty):
            self._rung.get(timeout=timeout_s)
