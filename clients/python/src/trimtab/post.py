"""One member's guard, in the guard's process: connected ahead, silent until the member is dead.

Called by `guard`, in a thread for each member. When the member's process is dead, nobody works on
what it held: so a release of each queue that names who comes next is written, and a leave. Its one
rule: nothing is said of a member that lives, or that has said farewell.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from trimtab.errors import TransportError
from trimtab.guard_lines import Post
from trimtab.holdings import Holdings
from trimtab.session import Send
from trimtab.transports.contract import Delivered, Transport, Undelivered

IDLE_S: Final = 1.0
"""How often a connection that is not used is looked after; also between two tries to connect."""
SOON_S: Final = 2.0
"""After so long without an answer another client tries as well; it takes milliseconds."""
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


def stand(post: Post, make: Callable[[], Transport], watch: Watch) -> bool:
    """Stand guard until the member ends; tell whether all is in the log that had to be.

    Raises:
        TransportError: Kafka could not be reached in time.
    """
    pens = _Pens(post, make)
    _connect(post, pens.newest, watch)
    while not watch.is_over(IDLE_S):
        pens.newest.poll(0)  # it follows the group, as a member does: forget what has come
    try:
        held = watch.holdings
        return watch.is_needless or held is None or _release(post.group, pens, held)
    finally:
        watch.settled.set()  # who waits for it need not wait for a connection to close
        pens.close()


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


def _release(group: str, pens: "_Pens", held: Holdings) -> bool:
    """Write what the member cannot write any more."""
    released = pens.write(held.releases(group))
    return pens.write([held.leave(group)]) and released


class _Pens:
    """The client that was connected ahead, and others if it does nothing: it may never again (H15).

    What two of them write counts once.
    """

    def __init__(self, post: Post, make: Callable[[], Transport]) -> None:
        self._post, self._make = post, make
        self._patience_s = post.patience_ms / 1_000
        self.newest = make()
        self._all = [self.newest]

    def write(self, messages: list[Send]) -> bool:
        """Write records, and wait; tell whether Kafka has all of them."""
        waiting, is_lost = {it.ticket: it for it in messages}, False
        self._send(waiting)
        began = time.monotonic()
        another_s = SOON_S
        while waiting and (since := time.monotonic() - began) < self._patience_s:
            if another_s <= since < self._patience_s / 2:  # later it would connect in vain
                another_s = since + SOON_S
                if self._has_another():
                    self._send(waiting)
            is_lost |= self._hear(waiting)
        return not (waiting or is_lost)

    def _send(self, messages: Mapping[int, Send]) -> None:
        for message in messages.values():
            self.newest.send(message)

    def _hear(self, waiting: dict[int, Send]) -> bool:
        """Strike out what is settled; tell whether any of it is lost, for all that is known."""
        is_lost = False
        for pen in self._all:
            for event in pen.poll(_POLL_MS):
                match event:
                    case Delivered(ticket):
                        waiting.pop(ticket, None)
                    case Undelivered(ticket) if pen is self.newest:
                        is_lost |= waiting.pop(ticket, None) is not None
        return is_lost

    def _has_another(self) -> bool:
        """Connect one more; whatever keeps it from that, the first one may still write all."""
        another: Transport | None = None
        try:
            another = self._make()
            another.open(self._post.group)
        except Exception:  # noqa: BLE001 - also files or threads that have run out
            if another is not None:
                another.close(0)
            return False
        self._all.append(another)
        self.newest = another
        return True

    def close(self) -> None:
        """Disconnect."""
        for pen in self._all:
            pen.close(self._post.patience_ms if pen is self.newest else 0)
