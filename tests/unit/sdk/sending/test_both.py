"""What producers do alike with either client, of which nobody is reached."""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError
from kafka.errors import KafkaTimeoutError

from tests.builders.application import until
from trimtab import BrokerSelector
from trimtab.faults import ROCKETMQ_5, FaultTable
from trimtab.sending import confluent, kafka_python, kafka_python_clients
from trimtab.sending.contract import Place, Sender
from trimtab.sending.dispatch import Leaders
from trimtab.sending.patience import Patience

LEADERS = Leaders(["1", "2"], {})
both = pytest.mark.parametrize(
    "library", [confluent, kafka_python], ids=["confluent", "kafka-python"]
)


class Client:
    """Of kafka-python: it settles nothing by itself, and has put all into partition 0."""

    def __init__(self) -> None:
        self.fail: list[Callable[[Exception], object]] = []
        self._sender = SimpleNamespace(force_close=bool)
        self._metadata = SimpleNamespace(topics=list)

    def send(self, *_: object) -> object:
        """Take a message."""
        place = SimpleNamespace(topic_partition=SimpleNamespace(partition=0))
        add = self.fail.append
        return SimpleNamespace(add_callback=bool, add_errback=add, _produce_future=place)

    def flush(self, _timeout_s: float) -> None:
        """Nothing is on its way."""

    def close(self, _timeout_s: float) -> None:
        """It is closed."""


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    """The one that is taken for kafka-python's."""
    made = Client()
    monkeypatch.setattr(kafka_python_clients, "connected", lambda *_: made)
    return made


def sender(library: Any, table: FaultTable | None = None) -> Sender:  # noqa: ANN401 - a module
    """What sends by a library."""
    selector = BrokerSelector(table=table)
    made: Sender = library.make_sender(Place("127.0.0.1:1", {}), selector, Patience.of(30_000, 3))
    return made


@both
@pytest.mark.usefixtures("client")
def test_a_clock_that_is_set_back_keeps_no_broker_out(
    library: Any,  # noqa: ANN401 - a module
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was slow, and is out for a moment: not for as long as the clock is set back."""
    made = sender(library, FaultTable(ROCKETMQ_5.with_ladder([50], [200])))

    def dealt() -> set[int]:
        return {made.dispatch.turns["t"]()[0] for _ in range(2)}

    made.dispatch.learn("t", LEADERS, 0)
    slow = made.dispatch.times_of("t", 0)
    assert slow is not None
    slow.note(0.1)
    made.start()
    until(lambda: dealt() == {1})
    now_ns = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() - 3_600_000_000_000)
    until(lambda: dealt() == {0, 1})
    made.close(0.0)
    made.disconnect()


@both
def test_who_failed_is_known_though_nobody_knew_where_it_went(
    library: Any,  # noqa: ANN401 - a module
    client: Client,
) -> None:
    """Of the first messages to a topic the client chose the partition, and that has a leader."""
    made = sender(library)
    if library is kafka_python:
        made.send("t", b"v")
        made.dispatch.learn("t", LEADERS, 0)
        client.fail[0](KafkaTimeoutError())
    else:
        _, (heard, _, _), _ = made.dispatch.turns["t"]()
        made.dispatch.learn("t", LEADERS, 0)
        heard(KafkaError(KafkaError._MSG_TIMED_OUT), Message())  # noqa: SLF001 - its documented name
    failed = made.dispatch.times_of("t", 0)
    made.close(0.0)
    made.disconnect()

    assert failed is not None
    assert 1 == len(failed.read().failures)


class Message:
    """Of confluent-kafka, which makes none without Kafka."""

    def topic(self) -> str:
        """Where it was to go."""
        return "t"

    def partition(self) -> int:
        """Where librdkafka has put it."""
        return 0

    def latency(self) -> float:
        """For how long it was on its way: too long for another try."""
        return 25.0

    def value(self) -> bytes:
        """What it says."""
        return b"v"
