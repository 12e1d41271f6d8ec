"""The line to one pipeline: ask by appending a record, hear the answer where it is published.

The stopwatch starts when the broker has acknowledged the question (its append, on this host's
clock) and stops when a consumer that follows the topics has the answer in hand. Both ends are in
this process, so one monotonic clock measures all.

Used by ``runner``. It asks one question at a time.
"""

import time
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from bench.floor.writer import Outlet, Writer
from bench.populations import Question
from console.errors import ExitCode, Failure
from trimtab.protocol import ASSIGNMENTS, BROKERS, decode

_PATIENCE_S: Final = 240.0
"""The first answer waits for two sessions to start: 20 s, or minutes on a very busy machine."""
_POLL_S: Final = 1.0


class Answer(NamedTuple):
    """What was said, and how long after the question."""

    value: bytes | None
    milliseconds: float


class Heard(NamedTuple):
    """A record, and when it was in hand."""

    value: bytes | None
    at: float


def is_anything(_value: bytes | None) -> bool:
    """Whatever comes: the floor has only echoes."""
    return True


def is_gone(value: bytes | None) -> bool:
    """Nothing is left of whom the record was about."""
    return value is None


def has_queues(value: bytes | None) -> bool:
    """A member is told which queues are its own, or come to it."""
    said = None if value is None else decode(ASSIGNMENTS, value)
    return said is not None and bool(said.hold or said.inherit)


class Line:
    """Asks one pipeline; ``check`` is called when an answer is slow, and may raise."""

    def __init__(self, outlet: Outlet, check: Callable[[], None]) -> None:
        self._writer = Writer(outlet)
        self._check = check
        self._latest: dict[bytes, bytes | None] = {}
        self._ear = Consumer(
            {
                "bootstrap.servers": outlet.servers,
                "group.id": "bench",  # required, and unused: partitions are assigned by hand
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 100,  # Kafka answers as soon as there is something anyway
                "log_level": 2,
            }
        )
        self._ear.assign(
            [
                TopicPartition(f"{outlet.prefix}{topic.name}", number, OFFSET_BEGINNING)
                for topic in (ASSIGNMENTS, BROKERS)
                for number in range(outlet.partitions)
            ]
        )

    def ask(
        self,
        *said: Question,
        fits: Callable[[bytes | None], bool] = is_anything,
        again: Sequence[Question] = (),
    ) -> Answer:
        """Append records and wait for the one answer that they have: the next that fits.

        What is said ``again`` after one that does not fit has no answer of its own.
        """
        appended = self._writer.say(said)
        (key,) = (it.answer for it in said if it.answer)
        (heard,) = self.hear({key})
        while not fits(heard.value):
            self._writer.say(again)
            (heard,) = self.hear({key})
        return Answer(heard.value, (heard.at - appended) * 1000)

    def hear(self, keys: Collection[bytes]) -> list[Heard]:
        """Wait for the next record under each key, in whatever order they come.

        Raises:
            Failure: One does not come.
        """
        missing = set(keys)
        heard = []
        deadline = time.monotonic() + _PATIENCE_S
        while missing:
            message = self._ear.poll(_POLL_S)
            now = time.monotonic()
            if message is None:
                self._check()
                if now > deadline:
                    first = min(missing).decode()
                    raise Failure(f"no answer for {first} in {_PATIENCE_S:.0f} s", ExitCode.TIMEOUT)
            elif (error := message.error()) is not None:
                raise Failure(f"Kafka cannot be read: {error.str()}")
            elif (key := message.key()) is not None:
                self._latest[key] = message.value()
                if key in missing:
                    missing.remove(key)
                    heard.append(Heard(message.value(), now))
        return heard

    def latest(self, key: bytes) -> bytes | None:
        """What stood under a key when the last answer came."""
        return self._latest[key]
