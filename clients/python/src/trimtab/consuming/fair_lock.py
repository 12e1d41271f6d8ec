"""A fair lock: it is granted in the order in which it was asked for, for two that contend.

One thread uses the consumer again and again, for milliseconds at a time; with a plain lock no other
would ever get it in between. Here who waits is next. Used by everything that touches the consumer
or what is in hand.
"""

import math
import threading
from typing import Final

from trimtab.clock import now_s
from trimtab.consuming.one_thread import FORKED
from trimtab.errors import ConfigurationError, StuckError

HUNG_S: Final = 10.0
"""In one turn Kafka may be asked several things, each for two seconds."""
_SLICE_S: Final = 0.25
"""How late a wait notices that it has a limit by now."""


class FairLock:
    """Use it as a lock: `with lock:`."""

    def __init__(self) -> None:
        self._next = threading.Lock()
        """Held by the one that waits for its turn."""
        self._using = threading.RLock()
        self._limited_at = math.inf
        self._hung = False
        """Whether one has waited in vain: those after it need not find that out once more."""
        self.is_forked = False
        """Whether this is a copy in another process: who had it there never lets go of it here."""

    def limit(self) -> None:
        """Have nobody wait for long from now on: who has it may never let go of it."""
        self._limited_at = min(self._limited_at, now_s())

    def __enter__(self) -> None:
        """Wait for it.

        Raises:
            StuckError: There is a limit, and it is over.
            ConfigurationError: It was made before a fork.
        """
        if self.is_forked:
            raise ConfigurationError(FORKED)
        if self._is_mine():  # as in a callback of the client, while messages are taken
            self._using.acquire()
            return
        with self._next:
            began = now_s()
            while not self._using.acquire(timeout=_SLICE_S):
                if self._hung or now_s() - max(began, self._limited_at) > HUNG_S:
                    self._hung = True
                    raise StuckError("the loop hangs in the Kafka client: nothing else can be done")
            self._hung = False

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
