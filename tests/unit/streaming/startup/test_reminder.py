"""Reading what is published: what Kafka says of itself is not what it says of groups."""

import time
from pathlib import Path
from threading import Event

import pytest
from confluent_kafka import KafkaError, Message

from console.settings import load
from console.wiring import options
from streaming.startup import reminder
from streaming.startup.reminder import NotReminded, locate

PATIENCE_S = 0.2
ENOUGH_S = 10.0
"""So long errors go on: who still listens then would listen for ever."""


class Complaining:
    """A consumer that is told of errors, and of nothing else."""

    def __init__(self, *_: object) -> None:
        self._until = time.monotonic() + ENOUGH_S

    def assign(self, *_: object) -> None:
        """Take partitions."""

    def close(self) -> None:
        """End."""

    def poll(self, *_: object) -> Message:
        """Complain."""
        assert time.monotonic() < self._until, "errors were taken for news"
        time.sleep(0.01)
        return Message(error=KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))

    def consume(self, *_: object) -> list[Message]:
        """Nothing more."""
        return []


def test_errors_are_no_news(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A Kafka that says only what is wrong has not said what is published."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reminder, "Consumer", Complaining)
    monkeypatch.setattr(reminder, "_PATIENCE_S", PATIENCE_S)
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)

    with pytest.raises(NotReminded, match="did not say what is published"):
        locate(chosen, Event())
