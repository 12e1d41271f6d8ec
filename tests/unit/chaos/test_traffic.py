"""A producer that does not produce fails its round."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from confluent_kafka import KafkaError, KafkaException, Message

from chaos import traffic
from chaos.traffic import Traffic
from console.errors import Failure

Heard = Callable[[KafkaError | None, Message | None], None]


class Sent:
    """What a producer was asked to send."""

    def partition(self) -> int:
        """Where it went."""
        return 0

    def offset(self) -> int:
        """Where it is."""
        return 7


class Client:
    """Stands for a client of Kafka."""

    raised: KafkaException | None = None
    refused: KafkaError | None = None
    left = 0
    asked = Event()
    """Set when it was asked to send something."""

    def __init__(self, _settings: object) -> None:
        pass

    def produce(self, _topic: str, _value: bytes, partition: int, on_delivery: Heard) -> None:
        """Take a message, or refuse it."""
        assert partition == 0
        self.asked.set()
        if self.raised is not None:
            raise self.raised
        on_delivery(self.refused, Sent())  # type: ignore[arg-type]  # as much of it as is asked

    def poll(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def flush(self, _seconds: float) -> int:
        """Say what is still on its way."""
        return self.left

    def close(self) -> None:
        """Nothing more."""


def play(monkeypatch: pytest.MonkeyPatch, home: Path, client: type[Client]) -> Traffic:
    """Produce for a moment."""
    monkeypatch.setattr(traffic, "Producer", client)
    produced = Traffic("kafka", "orders", home, rate=1_000, seed=1)
    produced.partitions = 1
    client.asked.clear()
    with produced:
        assert client.asked.wait(10.0)
    return produced


class Broken(Client):
    """Raises what nobody expects."""

    raised = KafkaException(KafkaError(KafkaError._FATAL))  # noqa: SLF001 - its public name


class Refused(Client):
    """Is refused each message."""

    refused = KafkaError(KafkaError._MSG_TIMED_OUT)  # noqa: SLF001 - its public name


class Late(Client):
    """Has no answer for the last ones."""

    left = 3


@pytest.mark.parametrize(
    ("client", "said"),
    [(Broken, "the producer has failed"), (Refused, "not taken"), (Late, "3 messages")],
)
def test_a_producer_that_does_not_produce_fails_the_round(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: type[Client], said: str
) -> None:
    """Without messages no check would find anything."""
    with pytest.raises(Failure, match=said):
        play(monkeypatch, tmp_path, client)


def test_what_is_taken_is_written_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By its number, and where its queue ends."""
    produced = play(monkeypatch, tmp_path, Client)

    assert 0 in produced.acked
    assert {0: 8} == produced.ends
