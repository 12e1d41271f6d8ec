"""A fair lock: it is granted in the order in which it was asked for, for two that contend.

One thread uses the consumer again and again, for milliseconds at a time; with a plain lock no other
would ever get it in between. Here who waits is next. Used by everything that touches the consumer
or what is in hand.
"""

import threading


class FairLock:
    """Use it as a lock: `with lock:`."""

    def __init__(self) -> None:
        self._next = threading.Lock()
        """Held by the one that waits for its turn."""
        self._using = threading.RLock()

    def __enter__(self) -> None:
        if self._is_mine():  # as in a callback of the client, while messages are taken
            self._using.acquire()
            return
        with self._next:
            self._using.acquire()

    def __exit__(self, *_: object) -> None:
        self._using.release()

    def heal(self) -> None:
        """Let go of it, if this thread has it: called where it should not.

        A signal handler of the application's own may raise just when it was taken, or before it is
        let go of; nobody else would ever get it.
        """
        while self._is_mine():
            self._using.release()

    def _is_mine(self) -> bool:
        return bool(self._using._is_owned())  # type: ignore[attr-defined]  # noqa: SLF001 - as `Condition` asks
