"""What is to be deleted of a topic is deleted, however long that takes."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from confluent_kafka import TopicPartition

from chaos import topics
from chaos.commit_checks import NOTHING
from chaos.faults import Fault, Kind
from chaos.topics import Topics

RETENTION = Fault(0, Kind.RETENTION, 0, ())


class Commits:
    """Of which nothing can be read at first."""

    def __init__(self) -> None:
        self.latest: dict[int, int] = {}
        self._coming = iter([{}, {0: 0, 1: NOTHING}, {0: 5, 1: NOTHING}, {0: 5}])

    def catch_up(self) -> None:
        """Read on."""
        self.latest |= next(self._coming, {0: 9})


class Admin:
    """A client of a Kafka that does what it says with the second try."""

    asked: list[list[tuple[int, int]]]

    def __init__(self, _settings: object) -> None:
        pass

    def delete_records(
        self, those: list[TopicPartition], request_timeout: float
    ) -> dict[TopicPartition, "Future[SimpleNamespace]"]:
        """Answer where each begins now."""
        assert request_timeout
        self.asked.append([(it.partition, it.offset) for it in those])
        found: dict[TopicPartition, Future[SimpleNamespace]] = {it: Future() for it in those}
        for place, answer in found.items():
            is_done = self.asked.count(self.asked[-1]) > 1
            answer.set_result(SimpleNamespace(low_watermark=place.offset if is_done else 0))
        return found


def test_something_is_deleted_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as something more is committed; what has no commit is left, or all of it would go."""
    asked: list[list[tuple[int, int]]] = []
    monkeypatch.setattr(Admin, "asked", asked, raising=False)
    monkeypatch.setattr(topics, "AdminClient", Admin)
    monkeypatch.setattr(topics, "_AGAIN_S", 0.0)
    traffic = SimpleNamespace(topic="work")
    those = Topics("kafka", traffic, Commits())  # type: ignore[arg-type]  # as much as is asked

    those.forget(RETENTION)
    assert [(0, 5)] == asked[-1]
    those.forget(RETENTION)
    assert [(0, 9)] == asked[-1]
