"""The guard of a member: a process that releases its queues when the member's process is dead.

    python -m trimtab.guard < pipe

The member starts it and holds the other end of the pipe (`guarding`). The first line says where
Kafka is. When the pipe closes without a farewell, the process is dead, whatever killed it: nobody
works on what it held. So the guard, which is connected by then, writes a release of each queue that
names who comes next, and a leave. Then it ends.

Its one rule: it says nothing as long as the pipe is open. Whoever kills the whole machine, or
container, kills the guard too; then the controller finds out by silence.
"""

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from trimtab.errors import TransportError
from trimtab.guarding import FAREWELL
from trimtab.holdings import Holdings, Post
from trimtab.session import Send
from trimtab.transports import choose
from trimtab.transports.contract import Delivered, Transport, Undelivered

IDLE_S: Final = 1.0
"""How often a connection that is not used is looked after; also between two tries to connect."""
_POLL_MS: Final = 10


class Watch:
    """Reads a pipe until it ends."""

    def __init__(self, pipe: BinaryIO, farewell: Callable[[], object] = bool) -> None:
        self._pipe = pipe
        self._farewell = farewell
        self._over = threading.Event()
        self._said = b""
        threading.Thread(target=self._read, name="trimtab-guard", daemon=True).start()

    def is_over(self, timeout_s: float) -> bool:
        """Wait for the end; tell whether it has come."""
        return self._over.wait(timeout_s)

    @property
    def in_good_order(self) -> bool:
        """Whether the last word was a farewell."""
        return self._said.endswith(FAREWELL)

    def _read(self) -> None:
        try:
            self._said = self._pipe.read()
        finally:
            self._over.set()
        if self.in_good_order:
            self._farewell()


def stand(post: Post, transport: Transport, watch: Watch) -> bool:
    """Stand guard until the member ends; tell whether all is in the log that had to be."""
    _connect(post, transport, watch)
    while not watch.is_over(IDLE_S):
        transport.poll(0)  # it follows the group, as a member does: forget what has come
    try:
        return watch.in_good_order or _release(post, transport)
    finally:
        transport.close(post.patience_ms)


def _connect(post: Post, transport: Transport, watch: Watch) -> None:
    """Connect, in good time; when the member is dead, for as long as that is of use."""
    over_at: float | None = None
    while not watch.in_good_order:
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


def _release(post: Post, transport: Transport) -> bool:
    """Write what the member cannot write any more."""
    try:
        written = Path(post.path).read_bytes()
    except FileNotFoundError:
        return True  # it died before it had joined
    held = Holdings.read(written)
    released = _are_written(transport, held.releases())
    return _are_written(transport, [held.leave()]) and released


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


def main() -> int | str:
    """Be the guard of the member at the other end of stdin; return 0, or say what failed."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # meant for the member, after which the pipe ends
        with suppress(AttributeError, ValueError):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    line = sys.stdin.buffer.readline()
    if not line:
        return 0
    post = Post.read(line)
    # After a farewell there is nothing to end in order, and Kafka may not answer for long.
    watch = Watch(sys.stdin.buffer, farewell=partial(os._exit, 0))
    transport = choose(post.client, post.servers, post.prefix, post.patience_ms, post.kafka)
    try:
        return 0 if stand(post, transport, watch) else "a release of the guard did not reach Kafka"
    except TransportError as error:
        return f"the guard: {error}"
    finally:
        shutil.rmtree(Path(post.path).parent, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
