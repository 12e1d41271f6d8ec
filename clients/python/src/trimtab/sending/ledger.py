"""A broker's account: how long its deliveries took, as they come and as they are reported.

Deliveries are entered by whatever thread the client reports them on, and read a little later by
another one: so an entry is one append, and everything that takes longer (looking up, sorting) is
done away from the messages. A window keeps every n-th latency once there are many: a thousand tell
a p99 as well as a million do, and counts and the maximum are exact all the same.

Called by the senders and by ``dispatch``. Its one rule: nothing here grows with the traffic.
"""

from collections import deque
from typing import Final, NamedTuple

from trimtab.protocol import BrokerLatency

UNREAD_MAX: Final = 100_000
"""Entries between two readings, 50 ms apart; more than any client delivers in that time."""
SAMPLES_MAX: Final = 1_000
"""Latencies kept of a window."""


class Reading(NamedTuple):
    """What was entered since the last reading, in milliseconds."""

    latencies: list[float]
    failures: list[float]


class Ledger:
    """One broker's account, and the window that is open."""

    def __init__(self, broker: str) -> None:
        self.broker = broker
        self.address: str | None = None
        self._latencies: deque[float] = deque(maxlen=UNREAD_MAX)
        self._failures: deque[float] = deque(maxlen=UNREAD_MAX)
        self.note = self._latencies.append
        """Enter a delivery and the seconds that it took."""
        self.note_failure = self._failures.append
        """Enter that the broker did not take a message, after so many seconds."""
        self._window = Window()

    def read(self) -> Reading:
        """Take what was entered, and add it to the window."""
        reading = Reading(_taken(self._latencies), _taken(self._failures))
        self._window.add(reading)
        return reading

    def close_window(self) -> BrokerLatency | None:
        """Sum up the window, and open the next; None when nothing was in it."""
        window, self._window = self._window, Window()
        return window.summed_up(self.broker, self.address)


def _taken(entries: deque[float]) -> list[float]:
    return [1_000 * entries.popleft() for _ in range(len(entries))]


class Window:
    """Counts, the maximum, and a sample of the latencies."""

    def __init__(self) -> None:
        self._count = 0
        self._errors = 0
        self._longest = 0.0
        self._samples: list[float] = []
        self._stride = 1

    def add(self, reading: Reading) -> None:
        """Enter what was read."""
        for latencies in reading:
            if latencies:
                self._longest = max(self._longest, *latencies)
                self._samples += latencies[:: self._stride]
                self._count += len(latencies)
        self._errors += len(reading.failures)
        while len(self._samples) > 2 * SAMPLES_MAX:
            self._samples = self._samples[::2]
            self._stride *= 2

    def summed_up(self, broker: str, address: str | None) -> BrokerLatency | None:
        """Return the window in the words of the wire."""
        if not self._count:
            return None
        ranked = sorted(self._samples)
        return BrokerLatency(
            broker=broker,
            count=self._count,
            errors=self._errors,
            p50_ms=_rounded(ranked[(len(ranked) - 1) // 2]),
            p99_ms=_rounded(ranked[(len(ranked) - 1) * 99 // 100]),
            max_ms=_rounded(self._longest),
            address=address,
        )


def _rounded(latency_ms: float) -> float:
    return round(latency_ms, 2)
