"""A broker's times: how long its deliveries took, as they come and as they are reported.

One thread enters deliveries and another reads them a little later: so an entry is one append, and
everything that takes longer (looking up, sorting) is done away from the messages. In a stream only
every eighth delivery is entered, and counts for eight: the sum is right on average. A window keeps
every n-th latency once there are many: a thousand give the same p99 as a million. Failures are all
counted.

Called by the senders and by ``dispatch``. Its one rule: what is kept does not grow with traffic.
"""

from collections import deque
from typing import Final, NamedTuple

from trimtab.protocol import BrokerLatency
from trimtab.protocol.limits import DURATION_MS

SAMPLES_MAX: Final = 1_000
"""Latencies kept of a window."""


EACH, EIGHTH = 1, 8
"""How many deliveries an entry stands for: in a stream, neighbours share a batch and its fate."""


class Reading(NamedTuple):
    """What was entered since the last reading, in seconds."""

    latencies: list[float]
    failures: list[float]
    deliveries: int


class BrokerTimes:
    """One broker's times, and the window that is open."""

    def __init__(self, broker: str) -> None:
        self.broker = broker
        self.address: str | None = None
        self._latencies: list[float] = []
        self._failures: list[float] = []
        self.note = self._latencies.append
        """Enter a delivery and the seconds that it took."""
        self._eighths: list[float] = []
        self.note_eighth = self._eighths.append
        """Enter a delivery that stands for eight."""
        self.note_failure = self._failures.append
        """Enter that the broker did not take a message, after so many seconds."""
        self._window = Window()

    def read(self) -> Reading:
        """Take what was entered, and add it to the window."""
        each, eighths, failures = map(_taken, (self._latencies, self._eighths, self._failures))
        count = EACH * len(each) + EIGHTH * len(eighths)
        reading = Reading(each + eighths, failures, count)
        self._window.add(reading)
        return reading

    def close_window(self) -> BrokerLatency | None:
        """Sum up the window, and open the next; None when nothing was in it."""
        window, self._window = self._window, Window()
        return window.summed_up(self.broker, self.address)


class Unread(BrokerTimes):
    """Of messages whose broker is unknown: nobody reads these, so nothing is kept."""

    def __init__(self) -> None:
        super().__init__("?")
        self.note = self.note_eighth = self.note_failure = deque[float](maxlen=0).append


def _taken(entries: list[float]) -> list[float]:
    """Copy, then cut off as much: what others append meanwhile stays."""
    taken = entries[:]
    del entries[: len(taken)]
    return taken


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
        for latencies in (reading.latencies, reading.failures):
            self._longest = max([self._longest, *latencies])
            self._samples += latencies[:: self._stride]
        self._count += reading.deliveries + len(reading.failures)
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
            p50_ms=_milliseconds(ranked[(len(ranked) - 1) // 2]),
            p99_ms=_milliseconds(ranked[(len(ranked) - 1) * 99 // 100]),
            max_ms=_milliseconds(self._longest),
            address=address,
        )


def _milliseconds(latency_s: float) -> float:
    return round(min(1_000 * latency_s, DURATION_MS), 2)  # this process may have been frozen
