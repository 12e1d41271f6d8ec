"""Trouble with the outside world: logged once when it begins, and once when it is over.

A line for each failed try would hide everything else, and no line would be worse. Used wherever
something is tried again and again.

Its one rule: no failure is hidden, and none is repeated.
"""

import re
from typing import Final

from structlog.typing import FilteringBoundLogger

_NUMBER: Final = re.compile(r"\d+")
"""Ports, times and numbers of tries: reasons that differ only in these are the same."""
_MOST: Final = 10
"""Reasons: more than one trouble has, unless each try finds new words for it."""


class Trouble:
    """One thing that can fail, and whether it is failing now.

    Args:
        log: Where it is said.
        what: What cannot be done while it fails, such as "write ticks".
    """

    def __init__(self, log: FilteringBoundLogger, what: str) -> None:
        self._log = log
        self._what = what
        self._reasons: set[str] = set()
        """Those that were said since it began to fail."""

    @property
    def lasts(self) -> bool:
        """Whether it failed the last time."""
        return bool(self._reasons)

    def with_a_step(self, step: str) -> "Trouble":
        """Return the trouble of a step that is needed for it now and then, and is said apart."""
        return Trouble(self._log, f"{step} to {self._what}")

    def met(self, reason: object) -> None:
        """Say that it failed, and why, unless that is known."""
        kind = _NUMBER.sub("", str(reason))
        if kind in self._reasons or len(self._reasons) == _MOST:
            return
        event = f"cannot {self._what}; retrying"
        if self._reasons:
            event = f"still cannot {self._what}, for another reason; retrying"
        self._log.warning(event, reason=str(reason))
        self._reasons.add(kind)

    def over(self) -> None:
        """Say that it works again, if it did not."""
        if self._reasons:
            self._log.info(f"can {self._what} again")
        self._reasons.clear()
