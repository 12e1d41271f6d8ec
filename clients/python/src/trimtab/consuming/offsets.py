"""Where a group's queues begin in Kafka: what is committed, and the ends of what there is.

Used by `Client`, whose callers take turns.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaException,
    TopicPartition,
)

from trimtab.clock import now_s
from trimtab.consuming.choice import Start
from trimtab.protocol import QueueRef

_ASK_S: Final = 2.0
"""One question to Kafka. No other thread uses the consumer meanwhile."""
_SPECIAL: Final = {"earliest": OFFSET_BEGINNING, "latest": OFFSET_END}
"""As times these mean the same to a broker (the protocol's ListOffsets)."""
_ASK_AGAIN_S: Final = 0.1
"""librdkafka's own first pause before a retry (`retry.backoff.ms`)."""
_OURS: Final = "trimtab"
_PAUSE: Final = 4
"""A question without an answer is asked again after so many times as long as it took: nothing is
read meanwhile, so that what can be read is read for four fifths of the time."""


@dataclass(slots=True)
class Asked:
    """When Kafka is asked again what it could not say, by `trimtab.clock.now_s`."""

    again_at: float = 0.0

    @contextmanager
    def answered(self, report: Callable[[KafkaException], object]) -> Iterator[None]:
        """Ask in this block; if there is no answer, say so and go on without it."""
        began = now_s()
        try:
            yield
        except KafkaException as error:
            now = now_s()
            self.again_at = now + max(_ASK_AGAIN_S, _PAUSE * (now - began))
            report(error)


class GroupOffsets:
    """Asks what a consumer's group has committed, and where queues begin and end.

    An admin client could ask without a turn. But with its `list_consumer_group_offsets` a process
    once ended in a null pointer while a coordinator started (confluent-kafka 2.16).
    """

    def __init__(self, consumer: Consumer, start: Start) -> None:
        self._consumer = consumer
        self._start = start

    def committed(self, queues: list[QueueRef]) -> dict[QueueRef, int]:
        """Read what is committed; what is not there has none."""
        return {queue: at for queue, (at, _) in self.signed(queues).items()}

    def signed(self, queues: list[QueueRef]) -> dict[QueueRef, tuple[int, int]]:
        """Read the same, each with the token under which it was committed; 0: under none."""
        if not queues:
            return {}
        found = checked(self._consumer.committed(list(map(place, queues)), _ASK_S))
        return {
            queue_of(it): (it.offset, token_of(it.metadata or "")) for it in found if it.offset >= 0
        }

    def first(self, queues: list[QueueRef]) -> dict[QueueRef, int]:
        """Find where to begin with queues that have no committed offset."""
        return self._ends(queues, self._start)

    def earliest(self, queues: list[QueueRef], timeout_s: float = _ASK_S) -> dict[QueueRef, int]:
        """Find the earliest messages that there still are."""
        return self._ends(queues, "earliest", timeout_s)

    def _ends(
        self, queues: list[QueueRef], end: Start, timeout_s: float = _ASK_S
    ) -> dict[QueueRef, int]:
        if not queues:
            return {}
        time_ms = int(end.timestamp() * 1_000) if isinstance(end, datetime) else _SPECIAL[end]
        asked = [place(queue, time_ms) for queue in queues]
        found = checked(self._consumer.offsets_for_times(asked, timeout=timeout_s))
        later = [queue_of(it) for it in found if it.offset < 0]  # no message is so young
        return {queue_of(it): it.offset for it in found if it.offset >= 0} | (
            self._ends(later, "latest") if end != "latest" else {}
        )


def place(queue: QueueRef, offset: int = OFFSET_BEGINNING, said: str = "") -> TopicPartition:
    """A queue as confluent-kafka has it; what is said with a commit is kept beside it."""
    if said:
        return TopicPartition(queue.topic, queue.id, offset, said)
    return TopicPartition(queue.topic, queue.id, offset)


def signature(token: int, life: str) -> str:
    """What is said with a commit: for people, tools, and those who fence."""
    return f"{_OURS}:{token}:{life}"


def token_of(said: str) -> int:
    """The token in what was said with a commit; 0 if it was not one of ours."""
    ours, _, rest = said.partition(":")
    token = rest.partition(":")[0]
    return int(token) if ours == _OURS and token.isdecimal() else 0


def queue_of(it: TopicPartition) -> QueueRef:
    """The queue, as we have it."""
    return QueueRef(it.topic, "", it.partition)


def checked(answers: list[TopicPartition]) -> list[TopicPartition]:
    """Raise what is wrong with any of them."""
    for answer in answers:
        if answer.error is not None:
            raise KafkaException(answer.error)
    return answers
