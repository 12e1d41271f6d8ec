"""Who was replaced finds its successor's start in Kafka, and reads nothing twice for it.

Its own start is at offset 4, and others write behind it.
"""

from pathlib import Path
from threading import Event
from typing import NamedTuple

import pytest
from confluent_kafka import TopicPartition

from console.settings import load
from console.wiring import options
from streaming.startup import younger
from streaming.startup.losses import Contents, Ends
from streaming.startup.younger import YoungerStart
from trimtab.protocol import START_KEY, TOLD_KEY

OWN = 4
ROUTES = "trimtab.routes"


class Message(NamedTuple):
    """A record of routes."""

    at: int
    name: bytes

    def error(self) -> None:
        """It is well."""

    def key(self) -> bytes:
        """What it is."""
        return self.name

    def offset(self) -> int:
        """Where it is."""
        return self.at


class Log:
    """The first partition, and whoever reads it."""

    def __init__(self, *keys: bytes) -> None:
        self.keys = [b"billing"] * OWN + [START_KEY, *keys]
        self.read: list[int] = []
        self.is_silent = False
        self.next = -1001  # as librdkafka has it: nothing was read

    def assign(self, places: list[TopicPartition]) -> None:
        """Begin there."""
        self.next = places[0].offset

    def poll(self, _: float) -> Message | None:
        """Bring the next one."""
        if self.is_silent or self.next >= len(self.keys):
            return None
        self.read.append(self.next)
        self.next += 1
        return Message(self.next - 1, self.keys[self.next - 1])

    def consume(self, *_: object) -> list[Message]:
        """Nothing more has come."""
        return []

    def position(self, _: object) -> list[TopicPartition]:
        """Where it is."""
        return [TopicPartition(ROUTES, 0, -1001 if self.is_silent else self.next)]

    def close(self) -> None:
        """End."""

    @property
    def contents(self) -> Contents:
        """What Kafka holds."""
        return Contents("c", {}, {(ROUTES, 0): Ends(0, len(self.keys))})


def looking(monkeypatch: pytest.MonkeyPatch, place: Path, log: Log) -> YoungerStart:
    """Who looks, with a start of its own."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(younger, "Consumer", lambda _: log)
    monkeypatch.setattr(younger, "_PATIENCE_S", 0.05)
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=place)
    return YoungerStart(chosen, (OWN, 7))


def test_a_start_behind_its_own_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its own does not count, nor what it has told since; nothing is read twice."""
    log = Log(TOLD_KEY, b"billing")
    one = looking(monkeypatch, tmp_path, log)
    assert one.found(log.contents, Event()) is None
    log.keys += [TOLD_KEY, START_KEY]
    assert f"{ROUTES}/0@8" == one.found(log.contents, Event())
    assert [5, 6, 7, 8] == log.read


def test_a_kafka_that_does_not_say_keeps_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The query is tried, and the next look reads on."""
    log = Log(START_KEY)
    one = looking(monkeypatch, tmp_path, log)
    log.is_silent = True
    assert one.found(log.contents, Event()) is None
    log.is_silent = False
    assert f"{ROUTES}/0@5" == one.found(log.contents, Event())
