"""A standby on a new installation: there is no tick, and none will come."""

from pathlib import Path
from threading import Event, Timer

import pytest
from confluent_kafka import TopicPartition

from console.settings import load
from console.wiring import options
from streaming.startup import activity, standby
from streaming.startup.standby import Standby

PATIENCE_S = 20.0


class Empty:
    """A Kafka whose topics are there, and empty."""

    def __init__(self, *_: object) -> None:
        """Connect."""

    def offsets_for_times(self, places: list[TopicPartition], _: float) -> list[TopicPartition]:
        """Nothing was ever written."""
        return [TopicPartition(it.topic, it.partition, 0) for it in places]

    def position(self, places: list[TopicPartition]) -> list[TopicPartition]:
        """Nothing was read."""
        return [TopicPartition(it.topic, it.partition) for it in places]

    def assign(self, *_: object) -> None:
        """Take partitions."""

    def poll(self, *_: object) -> None:
        """Nothing comes."""

    def go_on(self) -> None:
        """Nothing is published."""

    def close(self) -> None:
        """End."""


@pytest.mark.slow
def test_on_empty_topics_it_takes_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Else two standbys would wait for each other for ever."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(activity, "Consumer", Empty)
    monkeypatch.setattr(standby, "Following", Empty)
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    stop = Event()
    timer = Timer(PATIENCE_S, stop.set)
    timer.start()
    try:
        assert Standby(chosen, lambda: False).wait(stop) is not None
    finally:
        timer.cancel()
