"""Whoever follows other controllers says once that Kafka is away, and believes nothing then."""

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from structlog.testing import capture_logs

from console.settings import load
from console.wiring import options
from streaming.startup import activity
from streaming.startup.activity import Activity

TIMED_OUT = KafkaError._TIMED_OUT  # noqa: SLF001 - librdkafka's own name
AWAY = KafkaError._ALL_BROKERS_DOWN  # noqa: SLF001 - the same


class Kafka:
    """One that answers, or not; each client of it that was made."""

    def __init__(self) -> None:
        """Be there."""
        self.is_there = True
        self.clients: list[Client] = []

    def client(self, config: dict[str, Any]) -> "Client":
        """Connect."""
        self.clients.append(Client(self, config))
        return self.clients[-1]


class Client:
    """A client that has read everything, and finds no broker while there is none."""

    def __init__(self, kafka: Kafka, config: dict[str, Any]) -> None:
        """Be told who hears of errors."""
        self.kafka, self.tell = kafka, config["error_cb"]
        self.assigned: list[int] = []

    def get_watermark_offsets(self, *_: object) -> tuple[int, int]:
        """Five were written, and nothing comes."""
        if not self.kafka.is_there:
            raise KafkaException(KafkaError(TIMED_OUT))
        return 0, 5

    def position(self, places: list[TopicPartition]) -> list[TopicPartition]:
        """All was read."""
        return [TopicPartition(it.topic, it.partition, 5) for it in places]

    def assign(self, places: list[TopicPartition]) -> None:
        """Note from where it is to read."""
        self.assigned = [it.offset for it in places]

    def poll(self, _patience_s: float) -> None:
        """Serve callbacks, as librdkafka does."""
        if not self.kafka.is_there:
            self.tell(KafkaError(AWAY))

    def close(self) -> None:
        """End."""


def follower(monkeypatch: pytest.MonkeyPatch, place: Path, kafka: Kafka) -> Activity:
    """One that has begun to follow."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(activity, "Consumer", kafka.client)
    monkeypatch.setattr(activity, "_ASK_S", 0.0)
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=place)
    return Activity(chosen, "standby")


def test_while_kafka_is_away_it_says_so_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each reason once, that it is over once; and nothing is taken for read meanwhile."""
    kafka = Kafka()
    following = follower(monkeypatch, tmp_path, kafka)
    following.listen()
    assert following.is_read
    with capture_logs() as lines:
        kafka.is_there = False
        for _ in range(20):
            following.listen()
            assert not following.is_read
        kafka.is_there = True
        for _ in range(3):
            following.listen()

    assert ["warning", "warning", "info"] == [it["log_level"] for it in lines]
    assert following.is_read


def test_a_client_that_finds_no_broker_for_long_is_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It may never find any again (H15); the new one reads on where the old one was."""
    kafka = Kafka()
    following = follower(monkeypatch, tmp_path, kafka)
    following.listen()
    monkeypatch.setattr(activity, "WORN_S", 0.0)
    kafka.is_there = False
    following.listen()

    old, new = kafka.clients
    assert {5} == {*new.assigned}
    assert len(old.assigned) == len(new.assigned)
