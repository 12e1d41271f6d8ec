"""The horizon: up to which tick all has been read, and what followed from it is out.

The driver hears of each batch that was committed how far it had read. A tick that it writes later
carries that (``Tick.seen``), so that cells can tell whether the controller was there when it was
written, or behind (``LogClock.ticked``). A batch that could not read all that is urgent does not
count: what it left may be what a deadline waits for.

Kept by ``query_listener`` and by the tick producer, which run in threads of their own. Its one
rule: never further than what has been committed.
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any, Final, NamedTuple

FIRST_TICK: Final = 0
"""The number of the tick that a start begins with."""


class _Tick(NamedTuple):
    offset: int
    number: int
    at_ms: int
    """By the broker's clock."""


class Horizon:
    """What is known of one controller.

    Args:
        heartbeats: The topic of the ticks.
    """

    def __init__(self, heartbeats: str) -> None:
        self._heartbeats = heartbeats
        self._lock = Lock()
        self._start, self._reads = "", False
        self._ticks: dict[int, deque[_Tick]] = defaultdict(deque)
        """By partition, the ticks that are not known to have been read, while there is a query."""
        self._first: dict[int, _Tick] = {}
        self._seen: dict[int, _Tick] = {}
        self._newest: dict[int, _Tick] = {}
        self.batches = 0
        """How many were committed since the process began."""
        self.ticks = 0
        """How many ticks Kafka has taken since then."""
        self.failures = 0
        """How often the query has failed since then."""
        self.in_a_row = 0
        """How often since the last batch, and since Kafka was the reason."""
        self.fails = False
        """Whether it has failed since the last batch, for whatever reason."""

    @property
    def start(self) -> str:
        """Which start of the controller it is; empty: none has begun."""
        return self._start

    def failed(self, *, by_kafka: bool) -> None:
        """Note that the query has failed: nothing is read until another one begins."""
        with self._lock:
            self.failures += 1
            self.in_a_row = 0 if by_kafka else self.in_a_row + 1
            self.fails = True
            self._reads = False
            self._ticks.clear()

    def begin(self, start: str) -> None:
        """Begin anew: what was ticked before is of another start."""
        with self._lock:
            self._start, self._reads = start, True
            self._ticks.clear()
            self._first.clear()
            self._seen.clear()
            self._newest.clear()

    def ticked(self, start: str, partition: int, offset: int, number: int, at_ms: int = 0) -> None:
        """Note where a tick stands, and when it was appended."""
        with self._lock:
            self.ticks += 1
            if start == self._start:
                self._newest[partition] = _Tick(offset, number, at_ms)
                self._first.setdefault(partition, self._newest[partition])
                if self._reads:
                    self._ticks[partition].append(self._newest[partition])

    def seen(self, partition: int) -> int | None:
        """Return the last tick of a partition that has been read and committed."""
        with self._lock:
            tick = self._seen.get(partition)
        return None if tick is None else tick.number

    def has_come(self, partitions: int) -> bool:
        """Tell whether a tick of each partition has been read and committed."""
        with self._lock:
            return len(self._seen) == partitions

    def clocks(self) -> dict[int, int]:
        """Return by partition when the last tick was appended that has been read and committed."""
        with self._lock:
            return {partition: tick.at_ms for partition, tick in self._seen.items()}

    def lag_ms(self) -> int | None:
        """Return how far what was committed is behind the newest tick; None: there is no tick yet.

        It is so at least: where not even the first tick of this start was read, older ones are
        left. A tick may be newer and its time older: the broker's clock was set back (B2).
        """
        with self._lock:
            reached = (self._first | self._seen).items()
            behind = [self._newest[it].at_ms - tick.at_ms for it, tick in reached]
        return max(0, *behind) if behind else None

    def committed(self, sources: Iterable[tuple[str, str]]) -> None:
        """Note a batch: where each source has been read to, and where it ends, as JSON."""
        self.batches += 1
        self.in_a_row, self.fails = 0, False
        read = [(json.loads(end or "null"), json.loads(last or "null")) for end, last in sources]
        if any(_is_cut(end, last) for end, last in read if not self._is_routine(end)):
            return
        for end, _ in read:
            if self._is_routine(end):
                self._note(end[self._heartbeats])

    def _is_routine(self, end: Any) -> bool:  # noqa: ANN401 - what JSON is
        return isinstance(end, dict) and self._heartbeats in end

    def _note(self, ends: Mapping[str, int]) -> None:
        with self._lock:
            for partition, end in ends.items():
                ticks = self._ticks[int(partition)]
                while ticks and ticks[0].offset < end:
                    self._seen[int(partition)] = ticks.popleft()


def _is_cut(end: Any, last: Any) -> bool:  # noqa: ANN401 - what JSON is
    """Tell whether a batch has left something behind."""
    if not (isinstance(end, dict) and isinstance(last, dict)):
        return False
    return any(
        offset < last.get(topic, {}).get(partition, 0)
        for topic, places in end.items()
        for partition, offset in places.items()
    ) or any(topic not in end for topic in last)
