"""How far a group is: whatever it has, Kafka is asked twice."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import OFFSET_INVALID, KafkaError, KafkaException, TopicPartition

from console import lags as module
from console.errors import Away
from console.lags import Lag, lags
from console.settings import load

MANY = 10_000
END = 7


class Kafka:
    """One that has a commit for each second queue, and counts what it is asked."""

    def __init__(self, end: int = END, refused: int | None = None) -> None:
        self._end, self._refused, self.asked = end, refused, 0
        self.unled: set[int] = set()
        """Partitions of which no broker says it."""
        self.reason = KafkaError.LEADER_NOT_AVAILABLE
        """Why not."""

    def committed(self, places: list[TopicPartition], _: float) -> list[Any]:
        """Say what a group has committed."""
        self.asked += 1
        return [self._commit(it.topic, it.partition) for it in places]

    def _commit(self, topic: str, partition: int) -> Any:  # noqa: ANN401 - an error is its client's alone
        offset = OFFSET_INVALID if partition % 2 else 3
        error = KafkaError(self._refused) if self._refused is not None and partition % 2 else None
        return SimpleNamespace(topic=topic, partition=partition, offset=offset, error=error)

    def list_offsets(self, places: dict[TopicPartition, object], **_: Any) -> dict[Any, Any]:  # noqa: ANN401 - as of the client
        """Say where queues end."""
        self.asked += 1
        answer: Future[SimpleNamespace] = Future()
        answer.set_result(SimpleNamespace(offset=self._end))
        lost: Future[SimpleNamespace] = Future()
        lost.set_exception(KafkaException(KafkaError(self.reason)))
        return {it: lost if it.partition in self.unled else answer for it in places}

    def close(self) -> None:
        """End."""


def measured(
    monkeypatch: pytest.MonkeyPatch, kafka: Kafka, count: int, notes: list[str] | None = None
) -> dict[tuple[str, int], Lag]:
    """Ask a Kafka about so many queues."""
    monkeypatch.setattr(module, "Consumer", lambda _: kafka)
    monkeypatch.setattr(module, "admin", lambda *_: kafka)
    settings = load(key_values=["kafka.bootstrap_servers=k:1"], environment={}).settings
    places = [("work", it) for it in range(count)]
    return lags(settings, "billing", places, ([] if notes is None else notes).append)


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


def test_what_kafka_refuses_to_tell_is_no_lag_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the doctor would find nothing wrong in what it has not seen; a topic may be elsewhere."""
    refusing = Kafka(refused=KafkaError.TOPIC_AUTHORIZATION_FAILED)
    notes = list[str]()
    found = measured(monkeypatch, refusing, 4, notes)
    assert {("work", it): Lag(3, END) for it in (0, 2)} == found
    (note,) = notes
    assert note.startswith("the lags of work were not looked at: ")

    elsewhere = Kafka(refused=KafkaError.UNKNOWN_TOPIC_OR_PART)
    assert {("work", 0): Lag(3, END)} == measured(monkeypatch, elsewhere, 2)


def test_a_partition_that_nobody_leads_costs_no_other_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is named; where none has a leader, their owners are known all the same."""
    kafka, notes = Kafka(), list[str]()
    kafka.unled = {2}

    assert {("work", 0): Lag(3, END)} == measured(monkeypatch, kafka, 4, notes)
    assert ["the lag of work-2 is not known"] == [it.partition(":")[0] for it in notes]
    kafka.unled, notes = {0, 2}, []

    assert {} == measured(monkeypatch, kafka, 4, notes)
    assert ["the lags of work-0, work-2 are not known"] == [it.partition(":")[0] for it in notes]


def test_a_kafka_that_says_nothing_of_all_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who watches is told so, and sees what was there last."""
    kafka = Kafka()
    kafka.unled, kafka.reason = {0, 2}, KafkaError._TRANSPORT  # noqa: SLF001 - librdkafka's own name
    with pytest.raises(Away, match="offsets of billing"):
        measured(monkeypatch, kafka, 4)
