"""The line to one pipeline: ask by appending a record, hear the answer on ``assignments``.

The stopwatch starts when the broker has acknowledged the question (its append, on this host's
clock) and stops when a consumer that follows the topic has the answer in hand. Both ends are in
this process, so one monotonic clock measures all.

Used by ``race``. Its one rule: one question at a time.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from bench.floor.mouth import Mouth, Outlet
from bench.guests import Utterance
from console.errors import ExitCode, Failure
from trimtab.protocol import ASSIGNMENTS

_PATIENCE_S: Final = 240.0
"""The first answer waits for two sessions to start: 20 s, or minutes on a very busy machine."""
_POLL_S: Final = 1.0


class Answer(NamedTuple):
    """What was said, and how long after the question."""

    value: bytes | None
    milliseconds: float


class Line:
    """Asks one pipeline; ``check`` is called when an answer is slow, and may raise."""

    def __init__(self, outlet: Outlet, check: Callable[[], None]) -> None:
        self._mouth = Mouth(outlet)
        self._check = check
        self._ear = Consumer(
            {
                "bootstrap.servers": outlet.servers,
                "group.id": "bench",  # required, and unused: partitions are assigned by hand
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 100,  # Kafka answers as soon as there is something anyway
                "log_level": 2,
            }
        )
        topic = f"{outlet.prefix}{ASSIGNMENTS.name}"
        self._ear.assign(
            [TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(outlet.partitions)]
        )

    def ask(self, question: Utterance) -> Answer:
        """Append a record and wait for the answer."""
        appended = self._mouth.say([question])
        value, heard = self.hear(question.answer)
        return Answer(value, (heard - appended) * 1000)

    def hear(self, key: bytes) -> tuple[bytes | None, float]:
        """Wait for the next record under a key; return it, and when it was in hand.

        Raises:
            Failure: It does not come.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            message = self._ear.poll(_POLL_S)
            if message is None:
                self._check()
                continue
            heard = time.monotonic()
            error = message.error()
            if error is not None:
                raise Failure(f"Kafka cannot be read: {error.str()}")
            if message.key() == key:
                return message.value(), heard
        raise Failure(f"no answer for {key.decode()} in {_PATIENCE_S:.0f} s", ExitCode.TIMEOUT)
