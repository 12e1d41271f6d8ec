"""The writer: appends records to one pipeline's topics and says when the broker had them.

trimtab answers under ``group/member`` or ``cluster/broker``. The floor echoes the key that it was
sent, so there a question is sent under the key of its answer; nothing else differs. Used by
``line`` for questions and by ``beating`` for what nobody answers.

What it has said is in the log.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from confluent_kafka import KafkaError, Message, Producer

from bench.floor.plan import Side
from bench.populations import Question
from console.errors import ExitCode, Failure
from trimtab.protocol import encode, partition_of

_FLUSH_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where one pipeline listens and answers."""

    side: Side
    servers: str
    prefix: str
    partitions: int


class Writer:
    """One producer, which sends at once."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._producer = Producer(
            {"bootstrap.servers": outlet.servers, "linger.ms": 0, "log_level": 2}
        )
        self._appended = 0.0
        self._refused: KafkaError | None = None

    def say(self, utterances: Iterable[Question]) -> float:
        """Append records in their order; return when the last one was acknowledged.

        Raises:
            Failure: Kafka did not take them.
        """
        for topic, group, record, answer in utterances:
            self._producer.produce(
                f"{self._outlet.prefix}{topic.name}",
                encode(record),
                answer if self._outlet.side is Side.FLOOR else group.encode(),
                partition_of(group.encode(), self._outlet.partitions),
                on_delivery=self._delivered,
            )
        if self._producer.flush(_FLUSH_S):
            raise Failure("Kafka does not take records", ExitCode.TIMEOUT)
        if self._refused is not None:
            raise Failure(f"Kafka refused a record: {self._refused.str()}")
        return self._appended

    def _delivered(self, error: KafkaError | None, _message: Message) -> None:
        self._refused = self._refused or error
        self._appended = time.monotonic()
