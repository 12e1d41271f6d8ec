"""When and where a record was read: all that the brain may know about time and order.

Made by the shell for every record, with the log clock (``clock``). Part of every event.
"""

from dataclasses import dataclass

from rebalance.ids import Millis, Position


@dataclass(frozen=True, slots=True)
class Stamp:
    """When and where an event was read."""

    clock: Millis
    """What the heartbeat partition's log clock read: every earlier beat has been read by now, so
    silence is proved up to here and no further."""
    heard: Millis
    """When, on the same clock, the event counts as heard. Equal to ``clock`` for a beat; a record
    of another topic may be ahead of the beats read so far (``LogClock.read``), or be read among
    beats that are older, if its broker's clock is behind (``streaming.cell.skew``)."""
    appended: Millis
    """The broker's append time as written: for people and for ordering, never for expiry."""
    position: Position
    behind: Millis = Millis(0)
    """By how much the clock may be behind what has been published by now (``LogClock.ticked``)."""


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time went by in the log, and that is all that is said: the controller's own tick."""

    stamp: Stamp
