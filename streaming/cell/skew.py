"""Skew: logs whose brokers' clocks are behind that of the beats.

Joins, leaves and what RocketMQ's clients say travel by other topics than the beats, and each
partition's leader has a clock of its own. If such a clock is an hour behind, a join is placed
before beats that are much older, and in a batch that is longer than a session its sender looks
silent for all of it. There is one sign: a batch reads all there is, so a record that says it was
written before the last batch ended, and was not in it, has a wrong time, or could not be read yet.
What such a log brings counts as heard as late as it can have been written: its last record at the
end of the batch, and one that is ten seconds older ten seconds before that.

Asked by ``hearing``, which keeps the logs that are known to be behind with the clock. Its one rule:
a log that shows no such sign is read by its own times, so how it is cut into batches does not
matter.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from rebalance.clock import Log, LogClock
from rebalance.ids import Millis
from streaming.cell.gate import moved
from streaming.wire.rows import Row


class Skew:
    """The times of one batch, after what ``clock`` has read."""

    def __init__(
        self, clock: LogClock, rows: Sequence[Row], beats: str, max_step: Millis, start: str = ""
    ) -> None:
        """Look for logs that are behind; in most batches there is none, and that is all."""
        self._clock, self._rows, self._beats, self._max_step = clock, rows, beats, max_step
        self._start = start
        self._known = set(clock.behind)
        self._old = set[Log]()
        if clock.latest is not None:
            self._look(clock.latest)

    @property
    def behind(self) -> tuple[Log, ...]:
        """The logs that are known to be behind when the batch ends."""
        return tuple(sorted(self._known))

    def _look(self, latest: Millis) -> None:
        """Find the logs that show that they are behind, and those that are not any more."""
        written = (row.appended_ms for row in reversed(self._rows) if row.topic == self._beats)
        end = next(written, latest)
        for row in self._rows:
            if row.topic == self._beats:
                continue
            if latest - row.appended_ms > self._max_step:
                self._old.add(row[:2])
                self._known.add(row[:2])
            elif end - row.appended_ms <= self._max_step:
                self._known.discard(row[:2])

    def heard(self, row: Row, read: Millis) -> Millis:
        """Return when a record counts as heard that is ``read`` by its own time then."""
        log = row[:2]
        return max(read, self._latest(row)) if log in self._known or log in self._old else read

    def _latest(self, row: Row) -> Millis:
        """Return until when a record can have been written."""
        shown, times = self._beats_read
        if not shown:
            return self._clock.now
        before_end_ms = self._last[row[:2]] - row.appended_ms
        if before_end_ms > shown[-1][0] - shown[0][0]:  # one of the two is wrong by itself
            return shown[-1][1]
        place = bisect_right(times, shown[-1][0] - before_end_ms)
        return shown[min(place, len(shown) - 1)][1]

    @cached_property
    def _beats_read(self) -> tuple[list[tuple[int, Millis]], list[int]]:
        """When each beat was written, and what the clock shows; and the least time from it on."""
        clock, shown = self._clock, list[tuple[int, Millis]]()
        for row in self._rows:
            if row.topic == self._beats:
                clock = moved(clock, row, self._start, self._max_step)
                shown.append((row.appended_ms, clock.now))
        return shown, list(accumulate((time for time, _ in reversed(shown)), min))[::-1]

    @cached_property
    def _last(self) -> dict[Log, int]:
        """When the last record of each log was written."""
        return {row[:2]: row.appended_ms for row in self._rows}
