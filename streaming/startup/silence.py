"""The silence of an active controller, as its standby hears it; pure: time comes in.

A tick comes every second while a controller is there. Only what Kafka proves counts: all up to an
end that it told was read, and no tick was among it. While Kafka does not answer, or the standby
itself was held up, nothing is known of anybody, and the silence begins anew.

Kept by ``activity``. Its one rule: no proof, no silence.
"""

from typing import Final

_GAP_S: Final = 1.0
"""So long between two answers means that Kafka, or the standby, was away. Kafka is asked several
times a second."""


class Silence:
    """How long nobody has ticked.

    Args:
        now: When it begins.
    """

    def __init__(self, now: float) -> None:
        self._since = self._proven = now

    @property
    def s(self) -> float:
        """How long it is proven to last."""
        return self._proven - self._since

    def broken(self, now: float) -> None:
        """Note a tick, which was read at this moment."""
        self._since = self._proven = max(now, self._proven)

    def proven(self, asked: float, now: float) -> None:
        """Note that all has been read which was there at a moment, and there was no tick."""
        if asked - self._proven > _GAP_S or now - asked > _GAP_S:
            self._since = asked
        self._proven = max(asked, self._since)
