"""How far a group is: whatever it has, Kafka is asked twice."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import OFFSET_INVALID, TopicPartition

from console import lags as module
from console.errors import Away
from console.lags import Lag, lags
from console.settings import load

MANY = 10_000
END = 7


class Kafka:
    """One that has a commit for each second queue, and counts what it is asked."""

    def __init__(self, end: int = END) -> None:
        self._end, self.asked = end, 0

    def committed(self, places: list[TopicPartition], _: float) -> list[TopicPartition]:
        """Say what a group has committed."""
        self.asked += 1
        return [
            TopicPartition(it.topic, it.partition, OFFSET_INVALID if it.partition % 2 else 3)
            for it in places
        ]

    def list_offsets(self, places: dict[TopicPartition, object], **_: Any) -> dict[Any, Any]:  # noqa: ANN401 - as of the client
        """Say where queues end."""
        self.asked += 1
        answer: Future[SimpleNamespace] = Future()
        answer.set_result(SimpleNamespace(offset=self._end))
        return dict.fromkeys(places, answer)

    def close(self) -> None:
        """End."""


def measured(
    monkeypatch: pytest.MonkeyPatch, kafka: Kafka, count: int
) -> dict[tuple[str, int], Lag]:
    """Ask a Kafka about so many queues."""
    monkeypatch.setattr(module, "Consumer", lambda _: kafka)
    monkeypatch.setattr(module, "admin", lambda *_: kafka)
    settings = load(key_values=["kafka.bootstrap_servers=k:1"], environment={}).settings
    return lags(settings, "billing", [("work", it) for it in range(count)])


def test_all_queues_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other they would take half a minute."""
    kafka = Kafka()

    found = measured(monkeypatch, kafka, MANY)

    assert {("work", it): Lag(3, END) for it in range(0, MANY, 2)} == found
    assert 2 == kafka.asked


def test_without_queues_kafka_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client refuses to ask for nothing."""
    kafka = Kafka()

    assert {} == measured(monkeypatch, kafka, 0)
    assert 0 == kafka.asked


def test_a_kafka_whose_time_is_up_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its client says so with an offset that there is not."""
    with pytest.raises(Away, match="offsets of billing"):
        measured(monkeypatch, Kafka(end=OFFSET_INVALID), 1)
