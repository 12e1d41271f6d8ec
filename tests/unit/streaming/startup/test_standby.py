"""When a standby's turn comes: on a new installation, and when the active controller fails.

On a new one there is no tick, and none will come.
"""

from pathlib import Path
from threading import Event, Timer

import pytest
from confluent_kafka import TopicPartition

from console.settings import load
from console.wiring import options
from streaming.startup import activity, standby
from streaming.startup.standby import Standby
from tests.unit.streaming.startup.spoken import word
from trimtab.protocol import Controller

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
        assert Standby(chosen, stop, lambda: False, lambda: False).wait() is not None
    finally:
        timer.cancel()


class Failing:
    """An active controller that says of itself that it fails."""

    last = "a"
    is_read = True

    def __init__(self, *_: object) -> None:
        """Listen to it."""

    def listen(self) -> list[Controller]:
        """Hear its word."""
        return [word("a", 3)]

    def failing(self) -> str:
        """It has said so for long."""
        return "a has failed for 61 s, by its own word"

    def over(self) -> None:
        """It ticks."""

    def close(self) -> None:
        """Listen no more."""


@pytest.mark.parametrize("fit", [True, False])
@pytest.mark.parametrize("would_do", [True, False])
def test_one_that_fails_is_relieved_by_one_that_would_do(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    fit: bool,  # noqa: FBT001 - a column
    would_do: bool,  # noqa: FBT001 - a column
) -> None:
    """What fails on both is not passed to and fro."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(standby, "Activity", Failing)
    monkeypatch.setattr(standby, "Following", Empty)
    settings = load(key_values=[f"home={tmp_path}"], environment={}).settings
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    stop = Event()
    looks = iter([*[fit] * 6])

    def is_fit() -> bool:
        now = next(looks, None)
        if now is None:
            stop.set()
        return bool(now)

    one = Standby(chosen, stop, is_fit, lambda: would_do)
    is_its_turn = one.wait() is not None
    assert (fit and would_do, fit and would_do) == (is_its_turn, one.has_relieved)
