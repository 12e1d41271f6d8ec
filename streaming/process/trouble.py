"""Trouble with the outside world: logged once when it begins, and once when it is over.

A line for each failed try would hide everything else, and no line would be worse. Used wherever
something is tried again and again.

Its one rule: no failure is hidden, and none is repeated.
"""

from confluent_kafka import KafkaError, Message
from structlog.typing import FilteringBoundLogger


class Trouble:
    """One thing that can fail, and whether it is failing now.

    Args:
        log: Where it is said.
        what: What fails, as the subject of a sentence.
    """

    def __init__(self, log: FilteringBoundLogger, what: str) -> None:
        self._log = log
        self._what = what
        self._failing = False

    def met(self, reason: object) -> None:
        """Say that it failed, unless that is known."""
        if not self._failing:
            self._log.warning(f"{self._what} failed; retrying", reason=str(reason))
        self._failing = True

    def over(self) -> None:
        """Say that it works again, if it did not."""
        if self._failing:
            self._log.info(f"{self._what} works again")
        self._failing = False

    def delivered(self, error: KafkaError | None, _message: Message) -> None:
        """Take a delivery report of librdkafka."""
        if error is None:
            self.over()
        else:
            self.met(error)
