"""One member's guard, in the guard's process: connected ahead, silent until the member is dead.

Called by `guard`, in a thread for each member. When the member's process is dead, nobody works on
what it held: so a release of each queue that names who comes next is written, and a leave. Its one
rule: nothing is said of a member that lives, or that has said farewell.
"""

import threading
import time
from typing import Final

from trimtab.errors import TransportError
from trimtab.guard_lines import Post
from trimtab.holdings import Holdings
from trimtab.session import Send
from trimtab.transports.contract import Delivered, Transport, Undelivered

IDLE_S: Final = 1.0
"""How often a connection that is not used is looked after; also between two tries to connect."""
_POLL_MS: Final = 10


class Watch:
    """What is known of one member: what it holds, whether it is over, and whether that is told."""

    def __init__(self) -> None:
        self.holdings: Holdings | None = None
        self.in_good_order = False
        self.settled = threading.Event()
        """Nothing is left to say of it, or nothing can be said any more."""
        self._over = threading.Event()

    def end(self, *, in_good_order: bool) -> None:
        """It is over."""
        self.in_good_order = in_good_order
        self._over.set()

    def is_over(self, timeout_s: float) -> bool:
        """Wait for the end; tell whether it has come."""
        return self._over.wait(timeout_s)

    @property
    def is_needless(self) -> bool:
        """Whether nothing is to be said: it ended in good order, or before it held anything."""
        return self.in_good_order or (self._over.is_set() and self.holdings is None)


def stand(post: Post, transport: Transport, watch: Watch) -> bool:
    """Stand guard until the member ends; tell whether all is in the log that had to be.

    Raises:
        TransportError: Kafka could not be reached in time.
    """
    _connect(post, transport, watch)
    while not watch.is_over(IDLE_S):
        transport.poll(0)  # it follows the group, as a member does: forget what has come
    try:
        held = watch.holdings
        return watch.is_needless or held is None or _release(post.group, transport, held)
    finally:
        watch.settled.set()  # who waits for it need not wait for a connection to close
        transport.close(post.patience_ms)


def _connect(post: Post, transport: Transport, watch: Watch) -> None:
    """Connect, in good time; when the member is dead, for as long as that is of use."""
    over_at: float | None = None
    while not watch.is_needless:
        try:
            transport.open(post.group)
        except TransportError as error:
            if watch.is_over(0):
                over_at = over_at or time.monotonic()
                if time.monotonic() - over_at > post.patience_ms / 1_000:
                    raise TransportError(f"too late to release anything: {error}") from error
                time.sleep(IDLE_S)
            else:
                watch.is_over(IDLE_S)
        else:
            return


def _release(group: str, transport: Transport, held: Holdings) -> bool:
    """Write what the member cannot write any more."""
    released = _are_written(transport, held.releases(group))
    return _are_written(transport, [held.leave(group)]) and released


def _are_written(transport: Transport, messages: list[Send]) -> bool:
    """Write records, and wait; tell whether Kafka has all of them."""
    for message in messages:
        transport.send(message)
    waiting, lost = {message.ticket for message in messages}, False
    while waiting:
        for event in transport.poll(_POLL_MS):
            if isinstance(event, Delivered | Undelivered):
                waiting.discard(event.ticket)
                lost |= isinstance(event, Undelivered)
    return not lost
