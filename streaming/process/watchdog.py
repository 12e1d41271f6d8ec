"""The watchdog: says when no batch is committed, and ends a process that hangs.

Spark can hang so that nothing fails: a task waits for a socket, the JVM for itself. Then no batch
is committed although Kafka takes the ticks of this very process. After a while only another process
helps, so the watchdog ends this one and its JVM at once, and a supervisor starts it again. Nothing
is lost by that. While Kafka is away it takes no ticks either, and the process stays: another one
would wait as well. It stays as well while the query fails and is begun again: that hangs nowhere.

Run by ``application`` in a thread of its own. Its one rule: no proof, no end.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final, NamedTuple

from structlog.typing import FilteringBoundLogger

LOOK_S: Final = 1.0
SILENCE_S: Final = 5.0
"""So long without a batch is worth a line: a healthy controller commits one with every tick."""
FRESH_S: Final = 10.0
"""A tick that was taken so lately proves that Kafka is there, unless ticks are rarer."""
_AT_FIRST: Final = 5
"""So many times as long the first batch may take: it reads all that waits."""


class Signs(NamedTuple):
    """What there is to see of a controller."""

    batches: int
    """How many were committed since the process began."""
    ticks: int
    """How many ticks Kafka has taken."""
    failures: int = 0
    """How often the query has failed."""


class Silence(NamedTuple):
    """How long it has been silent."""

    s: float
    """Since the last batch."""
    proven_s: float
    """How long Kafka has taken ticks since then, if it takes them now; else 0. A query that has
    failed meanwhile has this long since then."""
    is_there: bool
    """Kafka has taken ticks since then, and takes them now."""


class SilenceTimer:
    """Watches the signs; pure: time comes in.

    Args:
        now: When it begins.
        fresh_s: A tick that was taken so lately proves that Kafka is there.
    """

    def __init__(self, now: float, fresh_s: float) -> None:
        self._fresh_s = fresh_s
        self._signs = Signs(0, 0)
        self._committed = now
        self._first: float | None = None
        """When Kafka took the first tick since the last batch, since the query has failed, and
        since Kafka was away."""
        self._last = now

    def look(self, signs: Signs, now: float) -> Silence:
        """Take note of what is seen now."""
        before, self._signs = self._signs, signs
        if signs.ticks != before.ticks:
            if self._first is None or now - self._last > self._fresh_s:  # Kafka was away meanwhile
                self._first = now
            self._last = now
        if signs.failures != before.failures:
            self._first = None
        if signs.batches != before.batches:
            self._committed, self._first = now, None
        is_there = self._committed < self._last and now - self._last <= self._fresh_s
        proven_s = now - self._first if is_there and self._first is not None else 0.0
        return Silence(now - self._committed, proven_s, is_there)


@dataclass(slots=True)
class Watchdog:
    """Looks once a second.

    Args:
        signs: How to look.
        log: Where it says what it sees.
        silence_s: How long no batch may be committed before it says so.
        fresh_s: A tick that was taken so lately proves that Kafka is there.
        stuck_s: How long a silence may be proven; 0: for ever.
        end: Ends the process; it gets the reason.
        clock: Of the process, in seconds; it never goes back.
    """

    signs: Callable[[], Signs]
    log: FilteringBoundLogger
    silence_s: float
    fresh_s: float
    stuck_s: float
    end: Callable[[str], None]
    clock: Callable[[], float]
    _has_said: bool = False

    def run(self, stop: Event) -> None:
        """Look until told to stop."""
        timer = SilenceTimer(self.clock(), self.fresh_s)
        while not stop.wait(LOOK_S):
            signs = self.signs()
            self.judge(signs, timer.look(signs, self.clock()))

    def judge(self, signs: Signs, silence: Silence) -> None:
        """End what is stuck, and say what is new: last, for nobody may read what is said."""
        longest = self.stuck_s if signs.batches else _AT_FIRST * self.stuck_s
        if 0 < longest < silence.proven_s:
            self.end(
                f"no batch was committed for {silence.proven_s:.0f} s, and Kafka has taken ticks "
                "all the while"
            )
        is_long = signs.batches > 0 and silence.s > self.silence_s
        if is_long and not self._has_said:
            kafka = "takes ticks" if silence.is_there else "takes no ticks"
            self.log.warning("no batch committed", for_s=round(silence.s), kafka=kafka)
        elif self._has_said and not is_long:
            self.log.info("batches are committed again")
        self._has_said = is_long


@contextmanager
def watched(watchdog: Watchdog) -> Iterator[None]:
    """Let it watch meanwhile."""
    over = Event()
    thread = Thread(target=watchdog.run, args=(over,), name="watchdog", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
