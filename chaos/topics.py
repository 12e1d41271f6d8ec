"""The topic that is read: its faults, a partition more and old messages deleted.

Both are asked of Kafka, which may have thawed a moment ago, so they are asked again until it
answers. Used by `on_kafka`.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # missing in the stubs
    AdminClient,
    NewPartitions,
)

from chaos.commits import Commits
from chaos.faults import Fault
from chaos.traffic import Traffic

_ANSWER_S: Final = 5.0
"""For an answer of a Kafka that runs; it takes milliseconds."""
_INSIST_S: Final = 60.0
"""For a Kafka that has just thawed: it fences its broker, and takes it back a second later."""
_AGAIN_S: Final = 0.2

Request = Callable[[AdminClient], Mapping[Any, "Future[Any]"]]


def insist(do: Callable[[], None]) -> None:
    """Have something done by a Kafka that may have thawed a moment ago."""
    over_at = time.monotonic() + _INSIST_S
    while True:
        try:
            do()
        except KafkaException:
            if time.monotonic() > over_at:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


class Topics:
    """The topic of one round."""

    def __init__(self, servers: str, traffic: Traffic, commits: Commits) -> None:
        self._servers, self._traffic, self._commits = servers, traffic, commits
        self._begins: dict[int, int] = {}
        """Where each partition begins of which something was deleted."""

    def grow(self, _: Fault) -> None:
        """Add a partition."""
        topic, count = self._traffic.topic, self._traffic.partitions + 1
        more = [NewPartitions(topic, count)]

        def add() -> None:
            try:
                self._ask(lambda admin: admin.create_partitions(more, request_timeout=_ANSWER_S))
            except KafkaException as error:
                if error.args[0].code() != KafkaError.INVALID_PARTITIONS:
                    raise  # else the answer to an earlier try was lost

        insist(add)
        self._traffic.partitions = count

    def forget(self, _: Fault) -> None:
        """Delete what is committed, as a retention would that ran very often."""
        insist(self._delete)

    def _delete(self) -> None:
        self._commits.catch_up()
        more = {
            queue: offset
            for queue, offset in self._commits.latest.items()
            if offset > self._begins.get(queue, 0)
        }
        those = [TopicPartition(self._traffic.topic, *it) for it in more.items()]
        found = self._ask(lambda admin: admin.delete_records(those, request_timeout=_ANSWER_S))
        self._begins |= {it.partition: done.low_watermark for it, done in found.items()}
        if not more or any(self._begins.get(queue, 0) < offset for queue, offset in more.items()):
            raise KafkaException(KafkaError(KafkaError._NO_OFFSET))  # noqa: SLF001 - its public name

    def _ask(self, request: Request) -> dict[Any, Any]:
        """Ask by a client of its own: one that found no controller once waits for it in vain."""
        admin = AdminClient({"bootstrap.servers": self._servers, "log_level": 0})
        # It must live until the answers are there.
        return {it: answer.result() for it, answer in request(admin).items()}
