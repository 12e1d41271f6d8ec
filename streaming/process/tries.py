"""How often, and how soon, something that failed is tried again.

Without end, if it has ever worked. The pauses grow from a second to half a minute, and start short
again once a try has worked for a while. While Kafka does not even say what it holds they stay
short: such a try costs little, and when Kafka is back, members wait for the controller. A try that
comes further reads and publishes everything again, so it is made more and more rarely. What has
never worked is tried a few times only, because a wrong setting does not pass.

Used by ``query``. Its one rule: no clock is read here.
"""

from typing import Final

_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0
_UNANSWERED_S: Final = 3.0
"""The longest pause while Kafka does not answer: with the start of a query after it, members that
fenced themselves meanwhile work again within a session (10 s)."""
_AT_FIRST: Final = 3
"""So often it may fail that has never worked."""


class Tries:
    """The tries of one thing."""

    def __init__(self) -> None:
        self._failures = 0
        self._pause_s = _FIRST_PAUSE_S
        self._worked = False
        self._works = False

    def worked(self) -> None:
        """It does what it should."""
        self._worked = self._works = True

    def failed(self, lasted_s: float, *, answered: bool = True) -> float | None:
        """It ended after so long; return the pause before the next try, None if there is none.

        Args:
            lasted_s: How long the try took.
            answered: Whether Kafka answered the first question, what it holds.
        """
        self._failures += 1
        has_worked, self._works = self._works, False
        if not self._worked and self._failures >= _AT_FIRST:
            return None
        if not answered:
            return min(self._pause_s, _UNANSWERED_S)
        is_new = has_worked and lasted_s > _LONGEST_PAUSE_S
        pause_s = _FIRST_PAUSE_S if is_new else self._pause_s
        self._pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return pause_s
