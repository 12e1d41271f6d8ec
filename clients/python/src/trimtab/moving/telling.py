"""Telling: what goes wrong while a group moves is said once, and not at each look.

Used by `Mover`. Its one rule: Kafka's errors are said in words for the application's people.
"""

from collections.abc import Callable

from confluent_kafka import KafkaException

from trimtab.clock import now_ms
from trimtab.errors import TransportError
from trimtab.repeats import Repeats
from trimtab.troubles import REPEAT_MS


class Telling:
    """Tells one who listens."""

    def __init__(self, report: Callable[[Exception], object]) -> None:
        self._report, self._repeats = report, Repeats(REPEAT_MS)

    def once(self, error: Exception) -> None:
        """Say this, but not again and again."""
        if isinstance(error, KafkaException):  # its text is for librdkafka's developers
            error = TransportError(f"Kafka's group cannot be asked: {error.args[0].str()}")
        if self._repeats.is_new(str(error), now_ms()):
            self._report(error)
