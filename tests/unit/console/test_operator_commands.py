"""Commands go where the controller reads, and their answers are heard where it writes."""

from typing import Any, NamedTuple

import pytest
from confluent_kafka import TopicPartition

from console import operator_commands
from console.operator_commands import Address, give, signed
from console.settings import load
from tests.unit.console.views.published_records import cause
from trimtab.protocol import COMMANDS, Command, CommandAnswer, decode, encode, partition_of

PARTITIONS = 16
"""Twice as many as the settings of who sets nothing say."""
NAME = "billing"
PLACE = partition_of(NAME, PARTITIONS)
END = 7


class Answer(NamedTuple):
    """A message of the history."""

    record: CommandAnswer

    def value(self) -> bytes:
        """What it says."""
        return encode(self.record)

    def error(self) -> None:
        """It is no error."""


class Installation:
    """Topics of 16 partitions, and a controller that answers what comes to the right one."""

    def __init__(self) -> None:
        self.heard: list[Command] = []
        self._read: list[TopicPartition] = []

    def produce(self, _topic: str, value: bytes, key: bytes, partition: int, **_: object) -> None:
        """Read it as the controller does: anywhere else it would be a dead letter."""
        if partition == partition_of(key.decode(), PARTITIONS):
            self.heard.append(decode(COMMANDS, value))

    def flush(self, _timeout: float) -> int:
        """Have written all."""
        return 0

    def assign(self, places: list[TopicPartition]) -> None:
        """Note what is read."""
        self._read = places

    def poll(self, _timeout: float) -> Answer | None:
        """Give the answer to whoever reads where it stands."""
        if not self.heard or [(it.partition, it.offset) for it in self._read] != [(PLACE, END)]:
            return None
        asked = self.heard[-1]
        return Answer(
            CommandAnswer(
                group=NAME,
                command=asked.kind,
                id=asked.id,
                principal=asked.principal,
                reason=asked.reason,
                outcome="done",
                detail="",
                epoch=17,
                at_ms=1,
                cause=cause("c", kind="command"),
            )
        )

    def close(self) -> None:
        """Leave."""


@pytest.fixture
def installation(monkeypatch: pytest.MonkeyPatch) -> Installation:
    """One that everything goes to."""
    made = Installation()

    def client(_options: Any) -> Installation:  # noqa: ANN401 - as Kafka's own
        return made

    monkeypatch.setattr(operator_commands, "Producer", client)
    monkeypatch.setattr(operator_commands, "Consumer", client)
    monkeypatch.setattr(operator_commands, "count", lambda *_: PARTITIONS)
    monkeypatch.setattr(operator_commands, "ends", lambda *_: dict.fromkeys(range(PARTITIONS), END))
    return made


def test_kafka_says_how_many_partitions_there_are(installation: Installation) -> None:
    """Who commands need not have the controller's settings."""
    settings = load(key_values=["kafka.bootstrap_servers=k:1"], environment={}).settings
    command = signed(Address("GROUP", NAME), "rack 7", "pause")

    answer = give(settings, NAME, command, 0.2)

    assert ([command], 17) == (installation.heard, answer and answer.epoch)
