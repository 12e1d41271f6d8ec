"""The topic that is read: its faults, a partition more and old messages deleted.

Both are asked of Kafka, which may have thawed a moment ago, so they are asked again until it
answers. Used by `on_kafka`.
"""

import threading
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


class Topics:
    """The topic of one round."""

    def __init__(self, servers: str, traffic: Traffic, commits: Commits) -> None:
        self._servers, self._traffic, self._commits = servers, traffic, commits
        self._reading = threading.Lock()

    def grow(self, _: Fault) -> None:
        """Add a partition."""
        topic, count = self._traffic.topic, self._traffic.partitions + 1
        more = [NewPartitions(topic, count)]
        self._insist(lambda admin: admin.create_partitions(more, request_timeout=_ANSWER_S))
        self._traffic.partitions = count

    def forget(self, _: Fault) -> None:
        """Delete what is committed, as a retention would that ran very often."""
        self._insist(
            lambda admin: admin.delete_records(self._committed(), request_timeout=_ANSWER_S)
        )

    def _committed(self) -> list[TopicPartition]:
        with self._reading:
            self._commits.catch_up()
            return [TopicPartition(self._traffic.topic, *it) for it in self._commits.latest.items()]

    def _insist(self, request: Request) -> None:
        """Have it done, by a Kafka that may have thawed a moment ago.

        Each try has a client of its own: librdkafka's waits for a controller in vain if there was
        none when it asked first.
        """
        over_at = time.monotonic() + _INSIST_S
        while True:
            # The client must live until the answer is there.
            admin = AdminClient({"bootstrap.servers": self._servers, "log_level": 0})
            try:
                for answer in request(admin).values():
                    answer.result()
            except KafkaException as error:
                if error.args[0].code() == KafkaError.INVALID_PARTITIONS:
                    return  # the answer to an earlier try was lost
                if time.monotonic() > over_at:
                    raise
                time.sleep(_AGAIN_S)
            else:
                return
