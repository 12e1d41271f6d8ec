"""What a client of Kafka has met: the reason that librdkafka tells beside its answers.

Every client of ours that may be the first one of a command has it as its `error_cb`. It loads
little, for ``subscribers_process`` is started for one question.
"""

import re
from typing import Final

from confluent_kafka import KafkaError

_CHANGING: Final = re.compile(r" \(after \d+ms in state .*\)$")
"""What librdkafka appends, different each time."""


class Met:
    """What a client has met last on its way to Kafka, such as a password that is refused.

    librdkafka says it to the client's `error_cb` alone: whoever asks hears that time is up.
    """

    def __init__(self) -> None:
        self.last = ""

    def __call__(self, error: KafkaError) -> None:
        """Note it; that no broker is left follows from it."""
        if error.code() != KafkaError._ALL_BROKERS_DOWN:  # noqa: SLF001 - librdkafka's own name
            self.last = _CHANGING.sub("", error.str())

    def beside(self, error: KafkaError) -> str:
        """Return how a question failed, and what was met."""
        return f"{error.str()} ({self.last})" if self.last else error.str()
