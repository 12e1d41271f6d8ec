"""A librdkafka client and the thread that serves its reports.

librdkafka hands out reports when it is polled. A thread of ours polls, so that they are handled at
once, however seldom the application sends. In a stream of messages that thread would compete with
the sending one for Python's lock at each report; so then the sending threads poll after a message,
as programs on the bare client do, and this one only handles what they leave.

Called by the sender. Its rules: a callback that raises ends no thread of ours, and whatever has
callbacks run says so (`telling`).
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import Producer

from trimtab.callbacks import mistaken
from trimtab.clock import steady_ms
from trimtab.sending.telling import Here
from trimtab.transports.confluent_discarding import discard

TICK_S: Final = 0.05
"""How late the messages may notice a verdict, or the end of an ejection."""
BREATH_S: Final = 0.025
"""How late a report may be heard when a stream of messages has just ended."""
_PURGE_S: Final = 1.0

Tick = Callable[[int, float], bool]
"""Told the time, and how many seconds it is since the last call; answers whether there is a stream,
whose senders poll."""


class Lane:
    """One client.

    Args:
        client: Whose reports are served.
        tick: Called every 50 ms.
        here: Knows who is in a callback, of all clients of a producer.
    """

    def __init__(self, client: Producer, tick: Tick, here: Here) -> None:
        self.client = client
        self._tick = tick
        self._here = here
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trimtab-reports", daemon=True)

    def start(self) -> None:
        """Begin to serve reports."""
        self._thread.start()

    def serve(self, timeout_s: float = 0.0) -> None:
        """Have callbacks run; a callback that sends leaves that to whom it runs for."""
        here = self._here
        if here.depth:
            return
        here.depth = 1  # no `with`: in a stream each eighth message comes here
        try:
            self.client.poll(timeout_s)
        except Exception as error:  # noqa: BLE001 - it is logged
            mistaken(error)
        finally:
            here.depth = 0

    def flush(self, timeout_s: float) -> None:
        """Wait until every message is settled."""
        with self._here:
            self.client.flush(max(0.0, timeout_s))

    def close(self) -> None:
        """Give up what is not settled, which is reported, and end."""
        try:
            if len(self.client):
                self.client.purge()
                self.flush(_PURGE_S)
        finally:  # a callback may raise `SystemExit`; the client is let go of all the same
            self._closing.set()
            if self._thread.ident is not None:
                self._thread.join()

    def discard(self) -> None:
        """Let go of the client, which disconnects; nothing can be asked of it any more."""
        held: list[object] = [self.client]
        del self.client
        discard(held)

    def _run(self) -> None:
        ticked, is_stream = time.monotonic(), False
        while not self._closing.is_set():
            try:
                if is_stream:
                    time.sleep(BREATH_S)
                self.serve(0 if is_stream else TICK_S)
                elapsed = time.monotonic() - ticked
                if elapsed >= TICK_S:
                    ticked += elapsed
                    is_stream = self._tick(steady_ms(), elapsed)
            except BaseException as error:  # noqa: BLE001 - it would end this thread alone, silently
                mistaken(error)
        self._tick(steady_ms(), TICK_S)  # for the last report
