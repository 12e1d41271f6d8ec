"""One thread: a consumer's messages are taken by one thread at a time.

To come back says that what was handed out before is done; of another thread's message that would be
a lie, and it would be committed while it is worked on. A loop whose calls go to a pool looks just
like that, so it is refused as well. Used by `Consumer`; tasks are refused by `offload`. Its one
rule: who works on a message is the only one that comes back for it.
"""

import threading
from typing import Final, TypeVar

from trimtab.errors import ConfigurationError

T = TypeVar("T")
FORKED: Final = (
    "the consumer was made before this process was forked, and its threads are in the other one: "
    "make it after the fork"
)
_REFUSAL: Final = (
    "one thread at a time takes messages from a consumer: call it from neither two threads nor a "
    "pool; with asyncio use AsyncConsumer"
)


class OneThread:
    """Knows who takes messages at present."""

    def __init__(self) -> None:
        self._mine = threading.Lock()
        self._taker: int | None = None
        self.is_forked = False
        """Whether this is a copy in another process: whose messages these are takes them there."""

    def demand_here(self) -> None:
        """See that it is this process's.

        Raises:
            ConfigurationError: It was made before a fork.
        """
        if self.is_forked:
            raise ConfigurationError(f"take: {FORKED}")

    def enter(self) -> None:
        """Come for messages.

        Raises:
            RuntimeError: Another thread waits for messages, or works on some.
            ConfigurationError: Another process does.
        """
        self.demand_here()
        me = threading.get_ident()
        if self._taker == me:
            return
        with self._mine:
            taker = self._taker
            if taker is not None and any(it.ident == taker for it in threading.enumerate()):
                raise RuntimeError(_REFUSAL)
            self._taker = me

    def took(self, taken: T) -> T:
        """Go with what was taken; with nothing, another thread may come."""
        if taken is None or taken == []:  # an empty message is falsy, and one
            self._taker = None
        return taken
