"""The committed offsets of a group, watched: they must never go back, nor what is said beside them.

with Offsets(servers, group, topic, queues) as offsets:
...
assert [] == offsets.backwards
"""

from threading import Event, Thread
from typing import Self

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from tests.integration.readings import COORDINATOR_STARTS
from trimtab.consuming.confluent import metadata_of
from trimtab.consuming.offsets import token_of

_PATIENCE_S = 60.0
_LOOK_S = 0.02
_PASSING = {
    *COORDINATOR_STARTS,
    KafkaError._WAIT_COORD,  # noqa: SLF001 - its public name
    KafkaError._TRANSPORT,  # noqa: SLF001 - its public name
}
"""What librdkafka does not call worth another try."""


class Offsets:
    """Watches the committed offsets of a group, which must never go back."""

    def __init__(self, servers: str, group: str, topic: str, queues: int) -> None:
        self.backwards: list[tuple[int, int, int]] = []
        """Partition, offset, and the smaller one after it."""
        self.outdated: list[tuple[int, int, int]] = []
        """Partition, token, and the smaller one under which was committed after it."""
        self.latest = dict.fromkeys(range(queues), -1)
        self._tokens = dict.fromkeys(range(queues), 0)
        self._settings = {"bootstrap.servers": servers, "group.id": group, "log_level": 2}
        self._places = [TopicPartition(topic, number) for number in range(queues)]
        self._over = Event()
        self._thread = Thread(target=self._watch)

    def _watch(self) -> None:
        consumer = Consumer(self._settings)
        while not self._over.wait(_LOOK_S):
            for it in self._ask(consumer):
                if it.offset >= 0:
                    self._look(it.partition, it.offset, token_of(metadata_of(it)))
        consumer.close()

    def _ask(self, consumer: Consumer) -> list[TopicPartition]:
        """Ask what is committed; the next look asks again if the coordinator is not there now."""
        try:
            return consumer.committed(self._places, _PATIENCE_S)
        except KafkaException as error:
            if error.args[0].code() not in _PASSING and not error.args[0].retriable():
                raise
            return []

    def _look(self, number: int, offset: int, token: int) -> None:
        if offset < self.latest[number]:
            self.backwards.append((number, self.latest[number], offset))
        if token < self._tokens[number]:
            self.outdated.append((number, self._tokens[number], token))
        self.latest[number] = max(offset, self.latest[number])
        self._tokens[number] = max(token, self._tokens[number])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
