"""A librdkafka client and the thread that serves its reports.

librdkafka hands out reports when it is polled. A thread of ours polls, so that they are handled at
once, however seldom the application sends. In a stream of messages that thread would compete with
the sending one for Python's lock at each report; so then the sending threads poll after a message,
as programs on the bare client do, and this one only handles what they leave.

Called by the sender. Its one rule: a callback that raises ends no thread of ours.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import Producer

from trimtab.clock import wall_ms

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
    """

    def __init__(self, client: Producer, tick: Tick) -> None:
        self.client = client
        self._tick = tick
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trimtab-reports", daemon=True)

    def start(self) -> None:
        """Begin to serve reports."""
        self._thread.start()

    def flush(self, timeout_s: float) -> int:
        """Wait until every message is settled; return how many are not.

        Zero is exact. Else librdkafka counts, besides, what it is about to log.
        """
        return self.client.flush(max(0.0, timeout_s))

    def close(self) -> None:
        """Give up what is not settled, which is reported, and end."""
        if len(self.client):
            self.client.purge()
            self.client.flush(_PURGE_S)
        self._closing.set()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        ticked, is_stream = time.monotonic(), False
        while not self._closing.is_set():
            try:
                if is_stream:
                    time.sleep(BREATH_S)
                self.client.poll(0 if is_stream else TICK_S)
                elapsed = time.monotonic() - ticked
                if elapsed >= TICK_S:
                    ticked += elapsed
                    is_stream = self._tick(wall_ms(), elapsed)
            except Exception:
                logging.getLogger("trimtab").exception("a callback failed")
        self._tick(wall_ms(), TICK_S)  # for the last report
