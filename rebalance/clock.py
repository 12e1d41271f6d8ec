"""The log clock: how much time the log itself has proved.

Think of a watchman who stamps a card on every round. If the cards stop for an hour we learn
that the watchman was away, not that an hour of silence went by in the building. So a gap between
two records counts for at most ``max_step``, however long it was on the wall: a Kafka outage, a
paused controller or a broker clock that jumps ahead is never evidence that a member died
(faults A2, A4, B2, B7). The controller's own ticks, one a second in each partition, keep the
clock running when nobody else speaks.

The shell keeps one clock per heartbeat partition and stamps every event with its reading.
Its one rule: the clock never goes back and never runs faster than the log.
"""

from dataclasses import dataclass

from rebalance.ids import Millis


@dataclass(frozen=True, slots=True)
class LogClock:
    """A monotone clock that advances by the records of one partition."""

    now: Millis = Millis(0)
    """The reading: log time with every long gap cut down to ``max_step``. Starts at 0."""
    latest: Millis | None = None
    """The largest append time seen, as the broker wrote it; None before the first record."""

    def advanced(self, appended: Millis, max_step: Millis) -> "LogClock":
        """Return the clock after a record that the broker appended at ``appended``."""
        if self.latest is None:
            return LogClock(self.now, appended)
        if appended <= self.latest:
            return self  # reordered, repeated, or a broker whose clock jumped back
        step = min(appended - self.latest, max_step)
        return LogClock(Millis(self.now + step), appended)

    def read(self, appended: Millis, max_step: Millis) -> Millis:
        """Return the reading for a record of *another* partition, without advancing.

        A join travels by another topic than the beats. It may be ahead of the beats read so far,
        so it counts as younger than ``now`` by what separates the two, within two steps; a join
        that is behind them counts as fresh, which errs on the side of keeping a member. Nothing
        is read further ahead than that: a batch reads all there is of both topics, but for beats
        that wait for company, and settings that let them wait for more than a step are refused;
        the other step is for ticks that are late. Before the first beat nobody can tell how far
        ahead a record is, so it counts as the furthest.
        """
        furthest = Millis(2 * max_step)
        if self.latest is None:
            return Millis(self.now + furthest)
        return self.advanced(appended, furthest).now
