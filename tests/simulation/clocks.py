"""Log clocks, and a gate, that are wrong in one respect, for ``plants``."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rebalance.clock import LogClock, Progress
from rebalance.ids import Millis
from streaming.cell.gate import Gate, Opening, Passed, Untold
from streaming.wire.decoding import Decoder
from streaming.wire.rows import Row
from trimtab.protocol import Told

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


def ticks_count_however_far_behind(right: Function) -> Function:
    """Time goes by while a backlog is read, though nobody could be told anything meanwhile."""

    def wrong(self: LogClock, tick: Progress, appended: Millis, max_step: Millis) -> LogClock:
        clock: LogClock = right(replace(self, ticks=self.ticks[-1:]), tick, appended, max_step)
        return clock

    return wrong


def decided_before_all_was_told(right: Function) -> Function:
    """A piece of the past is taken for the present."""

    def wrong(gate: Gate, ordered: Sequence[Row], decoder: Decoder, opening: Opening) -> Passed:
        start: str = right(gate, ordered, decoder, opening).gate.start
        return Passed(Gate(start), ordered)

    return wrong


def not_counted(right: Function) -> Function:
    """The last word of a start is enough, whatever Kafka has lost before it."""
    del right

    def wrong(word: Told, rows: Sequence[Row], decoder: Decoder) -> bool:
        del word, rows, decoder
        return True

    return wrong


def opened_without_the_word(right: Function) -> Function:
    """What Kafka has lost of what a start was told is not missed."""

    def wrong(gate: Gate, ordered: Sequence[Row], decoder: Decoder, opening: Opening) -> Passed:
        try:
            passed: Passed = right(gate, ordered, decoder, opening)
        except Untold:
            told = replace(gate, start=opening.start, shut=True, told=True)
            passed = right(told, ordered, decoder, opening)
        return passed

    return wrong
