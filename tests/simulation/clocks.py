"""Log clocks that are wrong in one respect, for ``plants``."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rebalance.clock import LogClock
from rebalance.ids import Millis

Function = Callable[..., Any]


def clock_step_unlimited(right: Function) -> Function:
    """A gap in the log counts for all that it was on the wall."""

    def wrong(self: LogClock, appended: Millis, max_step: Millis) -> LogClock:
        del max_step
        clock: LogClock = right(self, appended, Millis(1 << 60))
        return clock

    return wrong


def clock_stopped_by_a_wrong_stamp(right: Function) -> Function:
    """Whatever is older than the latest stamp moves nothing, however long it lasts."""

    def wrong(self: LogClock, appended: Millis, max_step: Millis) -> LogClock:
        if self.latest is not None and appended <= self.latest:
            return self
        clock: LogClock = right(self, appended, max_step)
        return clock

    return wrong


def clocks_that_take_turns_forgotten(right: Function) -> Function:
    """Each return to a clock that was left is one more jump."""

    def wrong(self: LogClock, appended: Millis, max_step: Millis) -> LogClock:
        clock: LogClock = right(self, appended, max_step)
        return replace(clock, left=())

    return wrong


def late_joins_read_by_their_times(right: Function) -> Function:
    """What a broker's clock says is believed, even if it is an hour behind."""
    del right

    def wrong(self: object, row: object, read: Millis) -> Millis:
        del self, row
        return read

    return wrong


def jumps_ahead_never_paid_for(right: Function) -> Function:
    """Each time the broker's clock is ahead for a moment a step is counted."""

    def wrong(self: LogClock, appended: Millis, max_step: Millis) -> LogClock:
        clock: LogClock = right(self, appended, max_step)
        return replace(clock, owed=Millis(0), left=())

    return wrong
