"""The log clock: how much time the log itself has proved.

A gap between two records may be a silence of the members, or an outage: of Kafka, of the
controller, of the network. The log cannot tell which. So a gap counts for at most ``max_step``,
however long it was by the wall clock, and no outage and no jump of a broker's clock is evidence
that a member died (faults A2, A4, B2, B7). The controller's own ticks, one a second in each
partition, keep the clock running when no member speaks.

A broker's clock may jump ahead for one record, or for an hour, and come back. So a record that is
older than the latest by more than a step is believed: time goes on from there. The time that was
counted for the jump is then taken back from the next records. So however often a broker's clock
jumps, this one is never more than one step ahead of real time.

The shell keeps one clock per heartbeat partition and stamps every event with its reading. Its one
rule: the clock never goes back, and no wrong time in the log stops it.
"""

from dataclasses import dataclass
from typing import Final

from rebalance.ids import Millis

_STEPS_LENT: Final = 5
"""At most: they delay an expiry by as much, and five steps are the shortest session (``Policy``).
Gaps that were outages count as jumps ahead too, until the broker's clock comes back."""


@dataclass(frozen=True, slots=True)
class LogClock:
    """A monotone clock that advances by the records of one partition."""

    now: Millis = Millis(0)
    """The reading: log time with every long gap cut down to ``max_step``. Starts at 0."""
    latest: Millis | None = None
    """The append time that the next record is measured from, as the broker wrote it: the largest
    since its clock last came back. None before the first record."""
    lent: Millis = Millis(0)
    """What jumps ahead were counted for, as far as the broker's clock has not come back since."""
    owed: Millis = Millis(0)
    """What is left to pay of that since it has."""

    def advanced(self, appended: Millis, max_step: Millis) -> "LogClock":
        """Return the clock after a record that the broker appended at ``appended``."""
        if self.latest is None:
            return LogClock(self.now, appended)
        most, gap = _STEPS_LENT * max_step, appended - self.latest
        if gap < -max_step:
            return LogClock(self.now, appended, owed=Millis(min(self.owed + self.lent, most)))
        if gap <= 0:
            return self  # reordered, or repeated
        step = min(gap, max_step)
        paid = min(step, self.owed)
        lent = self.lent if gap <= max_step else min(self.lent + max_step, most)
        now, owed = self.now + step - paid, self.owed - paid
        return LogClock(Millis(now), appended, Millis(lent), Millis(owed))

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
