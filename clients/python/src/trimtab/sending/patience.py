"""How often a message is tried, and for how long: the caller's deadline, cut into tries.

A Kafka client has one timeout for all its messages, and a message that waits for a hung broker
waits for all of it. So a try gets its share of the deadline, and the next one goes to another
broker. A client notices that a message has timed out up to a second late, and that is allowed for:
the last word on a message comes within the deadline.

Called by the senders. Its one rule: a try is only begun if it can end in time.
"""

from dataclasses import dataclass
from typing import Final

from trimtab.errors import ConfigurationError

LATE_MS: Final = 1_000
"""How late a timeout may be noticed: librdkafka counts at least a second for each message, and
looks through idle queues once a second; kafka-python looks with each round of its sender."""
TRY_MS_MIN: Final = 1_000
"""librdkafka's smallest effective timeout of a message."""


@dataclass(frozen=True, slots=True)
class Patience:
    """The deadline of every message."""

    deadline_ms: int
    tries: int
    try_ms: int
    """How long one try may take."""

    @property
    def whole_ms(self) -> int:
        """How long the only try of a message may take that goes nowhere else."""
        return self.deadline_ms - LATE_MS

    @classmethod
    def of(cls, deadline_ms: int, tries: int) -> "Patience":
        """Cut a deadline into tries.

        Raises:
            ConfigurationError: There are too many tries for it, or none.
        """
        if type(tries) is not int:  # True is one, too
            raise ConfigurationError(f"tries: {tries!r} is no whole number")
        if tries < 1:
            raise ConfigurationError("tries: at least one is needed")
        try_ms = deadline_ms // tries - LATE_MS
        if try_ms < TRY_MS_MIN:
            least = tries * (TRY_MS_MIN + LATE_MS)
            raise ConfigurationError(f"deadline: {tries} tries need at least {least} ms")
        return cls(deadline_ms, tries, try_ms)

    def allows(self, tries: int, begun_s: float, now_s: float) -> bool:
        """Return whether a message that was tried so often, first then, may be tried again."""
        spent_ms = 1_000 * (now_s - begun_s)
        return tries < self.tries and spent_ms + self.try_ms + LATE_MS <= self.deadline_ms + 1
