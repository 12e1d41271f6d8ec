"""Reminders: who may be told again what it was told before (an exception to I14).

A member that beats under an older epoch than that of its last assignment has not read that one. It
may be told again after two heartbeats, and then each time after twice as long as before, up to 32
times, until a beat shows that it has read it.

Asked by ``epochs``. Its one rule: a beat of epoch 0 asks for nothing.
"""

from dataclasses import dataclass
from typing import Final

from audit.history import BeatSeen, Issued, Life
from audit.reading import Reader, Reading

_HEARTBEATS: Final = 2
_DOUBLINGS: Final = 5


@dataclass(slots=True)
class _Told:
    """The last assignment of a life."""

    epoch: int
    clock_ms: int
    heartbeat_ms: int
    times: int
    """How often it was told again since a beat last showed that it reads."""
    due: bool = False


class Reminders:
    """The members of one group that may not have read their assignment."""

    def __init__(self, reader: Reader, *, exact: bool) -> None:
        """Begin without members; if not exact, beats and assignments are in no order."""
        self._reader = reader
        self._exact = exact
        self._told: dict[Life, _Told] = {}

    def told(self, record: Issued, *, again: bool) -> None:
        """A member is told something; ``again``: what it was told before."""
        was = self._told.get(record.life)
        times = 0 if was is None else was.times + (was.due and again)
        clock = self._reader.now(record.at.partition).clock_ms
        told = _Told(record.epoch, clock, record.heartbeat_interval_ms, times)
        self._told[record.life] = told

    def is_due(self, beat: BeatSeen, reading: Reading) -> bool:
        """Tell whether a beat shows that its member has to be told again."""
        told = self._told.get(beat.life)
        if told is None or beat.epoch == 0:
            return False
        if beat.epoch >= told.epoch:
            told.times, told.due = 0, False
            return False
        patience = _HEARTBEATS * told.heartbeat_ms << min(told.times, _DOUBLINGS)
        due = not self._exact or reading.clock_ms - told.clock_ms >= patience
        told.due |= due
        return due

    def ended(self, life: Life) -> None:
        """A life is over."""
        self._told.pop(life, None)
