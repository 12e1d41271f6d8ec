"""The log clock: how much time the log itself has proved.

A gap between two records may be a silence of the members, or an outage: of Kafka, of the
controller, of the network. The log cannot tell which. So a gap counts for at most ``max_step``,
however long it was by the wall clock, and no outage and no jump of a broker's clock is evidence
that a member died (faults A2, A4, B2, B7). The controller's own ticks, one a second in each
partition, keep the clock running when no member speaks.

A broker's clock may jump ahead for one record, or for an hour, and come back. So a record that is
older than the latest by more than a step is believed: time goes on from there. The time that was
counted for the jump is then taken back, from half of what the next records prove. So however often
a broker's clock jumps and comes back, this one is never more than one step ahead of real time.

Two clocks may take turns, because every other record is stamped by one that is wrong. Then each
record jumps. So the last few clocks that were left are remembered, each with the reading that it
has proved, and a record of one of them proves the time since its own last one.

The shell keeps one clock per heartbeat partition and stamps every event with its reading. Its one
rule: it never goes back, and no wrong time in the log stops it. As long as no more than four clocks
take turns, it goes on at half of real speed at least.
"""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol

from rebalance.ids import Millis

_STEPS_LENT: Final = 5
"""At most: they delay an expiry by as much, and five steps are the shortest session (``Policy``).
Gaps that were outages count as jumps ahead too, until the broker's clock comes back."""
_STEPS_LEFT: Final = 5
"""For so long a clock that was left is waited for: four take turns within four steps at most, since
there is a tick every half step."""
_LEFT: Final = 3
"""So many that were left are remembered. A broker, or a producer, that is wrong is one."""


Log = tuple[str, int]
"""A topic and a partition."""


class Left(NamedTuple):
    """One of the clocks that stamp the records, as it was when it was left for another."""

    latest: Millis
    reading: Millis
    """What it has proved; ``now`` is the most that any of them has."""
    lent: Millis

    def again(self, here: "Left", appended: Millis, max_step: Millis) -> "Left":
        """Return it after its next record, which comes after others of the clock ``here``.

        Those have proved some of the time between as well.
        """
        own = self.reading + min(max(0, appended - self.latest), max_step)
        others = here.reading - max(0, here.lent - self.lent)
        return Left(max(self.latest, appended), Millis(max(own, others)), self.lent)


class Progress(Protocol):
    """What a tick says of the controller."""

    @property
    def number(self) -> int:
        """Which tick of this start it is."""

    @property
    def seen(self) -> int | None:
        """The last one that had been read, with all that followed from it written."""


IN_FLIGHT: Final = 3
"""Ticks that may count before the first of them was read, and what followed from it is out. A tick
waits for its batch for a second, and that takes one or two: so all ticks count unless the
controller is behind, and the clock is ahead of what is published by no more than so many steps."""


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
    left: tuple[Left, ...] = ()
    """The clocks that were left lately, the last one at the end."""
    behind: tuple[Log, ...] = ()
    """Other logs, whose times are older than they can be (``streaming.cell.skew``)."""
    ticks: tuple[int, ...] = ()
    """The last ticks that counted, by their numbers; none where every record counts."""

    def advanced(self, appended: Millis, max_step: Millis) -> "LogClock":
        """Return the clock after a record that the broker appended at ``appended``."""
        if self.latest is None:
            return LogClock(self.now, appended, behind=self.behind)
        gap = appended - self.latest
        if abs(gap) > max_step:
            return self._jumped(Left(self.latest, self._reading, self.lent), appended, max_step)
        if gap <= 0:
            return self  # reordered, or repeated
        paid = min(gap // 2, self.owed)
        now, owed = Millis(self.now + gap - paid), Millis(self.owed - paid)
        assert now >= self.now, "the clock never goes back"
        assert owed >= 0, "nothing is paid twice"
        return LogClock(now, appended, self.lent, owed, self.left, self.behind)

    def with_behind(self, logs: tuple[Log, ...]) -> "LogClock":
        """Return the clock with the logs that are known to be behind by now."""
        return self if logs == self.behind else replace(self, behind=logs)

    @property
    def _reading(self) -> Millis:
        return Millis(self.now - self.owed)

    def _jumped(self, here: Left, appended: Millis, max_step: Millis) -> "LogClock":
        """Return the clock after a record that is further than a step from the one before it."""
        nearest = min((here, *self.left), key=lambda it: abs(appended - it.latest))
        most, reach = _STEPS_LENT * max_step, _STEPS_LEFT * max_step
        # What is older by more than a step is of another clock: one that was left goes on.
        if nearest is not here and -max_step <= appended - nearest.latest <= reach:
            then = nearest.again(here, appended, max_step)
        elif appended > here.latest:
            lent = Millis(min(here.lent + max_step, most))
            then = Left(appended, Millis(here.reading + max_step), lent)
        else:
            before = min(self.owed + here.lent, most)
            then = Left(appended, Millis(self.now - before), Millis(0))
        now = max(self.now, then.reading)
        left = (*(it for it in self.left if it is not nearest), here)[-_LEFT:]
        owed = Millis(now - then.reading)
        assert self.now <= now <= self.now + max_step, "a gap counts for one step at most"
        return LogClock(now, then.latest, then.lent, owed, left, self.behind)

    def ticked(self, tick: "Progress", appended: Millis, max_step: Millis) -> "LogClock":
        """Return the clock after a tick, which counts unless the controller is too far behind.

        What was written while it was behind proves silence, but no member can have been told what
        followed from it. So time that the controller was not there to act on does not go by.
        """
        late = len(self.ticks) == IN_FLIGHT and (tick.seen is None or tick.seen < self.ticks[0])
        if late or (self.ticks and tick.number <= self.ticks[-1]):
            return self
        ticks = (*self.ticks, tick.number)[-IN_FLIGHT:]
        return replace(self.advanced(appended, max_step), ticks=ticks)

    def restarted(self) -> "LogClock":
        """Return the clock for a controller that starts: its ticks count from the first on."""
        return replace(self, ticks=())

    def read(self, appended: Millis, max_step: Millis, steps: int = 2) -> Millis:
        """Return the reading for a record of *another* partition, without advancing.

        A join travels by another topic than the beats. It may be ahead of the beats read so far,
        so it counts as younger than ``now`` by what separates the two, within two steps; a join
        that is behind them counts as fresh, which errs on the side of keeping a member. Nothing
        is read further ahead than that: a batch reads all there is of both topics, but for beats
        that wait for company, and settings that let them wait for more than a step are refused;
        the other step is for ticks that are late. Before the first beat it is unknown how far
        ahead a record is, so it counts as the furthest.
        """
        furthest = steps * max_step
        ahead = furthest if self.latest is None else min(appended - self.latest, furthest)
        return Millis(self.now + max(0, ahead))
