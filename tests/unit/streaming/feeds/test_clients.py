"""A client of Kafka connects again soon, unless its user wants otherwise.

And if another one cannot be made in its place, it goes on.
"""

from itertools import count
from types import SimpleNamespace
from typing import cast

import pytest
import structlog
from confluent_kafka import KafkaError, Message, Producer, TopicPartition
from structlog.testing import capture_logs

from streaming.feeds import clients
from streaming.feeds.clients import FeedConsumer, FeedProducer, Heard
from streaming.feeds.feed import Config, client_config
from streaming.options import KafkaOptions, Options
from streaming.process.trouble import Trouble
from tests.builders.half_written import HalfWritten

NAME = "reconnect.backoff.max.ms"


def made(given: dict[str, str]) -> Config:
    """What a client is told of a user's settings."""
    kafka = KafkaOptions(bootstrap_servers="kafka:9092", java={}, native=given)
    options = cast("Options", SimpleNamespace(name="trimtab", kafka=kafka))
    return client_config(options, "ticks", Trouble(structlog.get_logger(), "ask"))


@pytest.mark.parametrize(("given", "expected"), [({}, 1_000), ({NAME: "5000"}, "5000")])
def test_a_kafka_that_is_back_is_soon_noticed(given: dict[str, str], expected: object) -> None:
    """A pause of librdkafka's ten seconds would be a whole session."""
    assert expected == made(given)[NAME]


def test_who_says_where_pauses_begin_says_where_they_end() -> None:
    """A client with a beginning above our end would be none."""
    config = made({"reconnect.backoff.ms": "2000"})

    Producer(config)
    assert NAME not in config


def test_none_makes_a_topic() -> None:
    """A tick to a topic that was just deleted would bring it back, as the broker makes topics."""
    assert made({"allow.auto.create.topics": "true"})["allow.auto.create.topics"] is False


class Delivering:
    """A producer whose records arrive at once, but for those of partitions that nobody leads."""

    failing: frozenset[int] = frozenset()

    def __init__(self, _config: Config) -> None:
        """Connect to nothing."""

    def produce(
        self, topic: str, _value: bytes, _key: bytes, partition: int, on_delivery: Heard
    ) -> None:
        """Tell at once what becomes of it."""
        error = KafkaError(KafkaError._MSG_TIMED_OUT) if partition in self.failing else None  # noqa: SLF001 - its name
        on_delivery(error, Message(topic=topic, partition=partition))

    def poll(self, _patience_s: float) -> None:
        """All has been told."""

    def purge(self) -> None:
        """Nothing is on its way."""


def test_it_is_over_when_every_partition_takes_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two fails for minutes, whatever the other does, and with whichever client."""
    seconds = count()
    monkeypatch.setattr("streaming.feeds.clients.time.monotonic", lambda: next(seconds) / 4)
    monkeypatch.setattr(clients, "Producer", Delivering)
    made: list[object] = []
    monkeypatch.setattr(clients, "discard", made.append)
    with capture_logs() as lines:
        trouble = Trouble(structlog.get_logger(), "write ticks")
        feed = FeedProducer({}, trouble)
        for failing in (*[frozenset({1})] * 200, *[frozenset[int]()] * 2):
            monkeypatch.setattr(Delivering, "failing", failing)
            for partition in (1, 0):
                feed.write("heartbeats", b"", b"", partition)
            feed.poll()

    assert len(made) > 1
    assert ["cannot write ticks; retrying", "can write ticks again"] == [
        line["event"] for line in lines
    ]


class Silent:
    """A consumer that is told nothing."""

    def __init__(self, _config: Config) -> None:
        """Connect to nothing."""

    def assign(self, _places: list[TopicPartition]) -> None:
        """Take partitions."""

    def poll(self, _patience_s: float) -> None:
        """Nothing has come."""


def test_a_reader_that_cannot_be_replaced_reads_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who renews a certificate writes two files, and the end of a feed would end the controller.

    Another one is made when it has been silent for as long again.
    """
    now, made = [0.0], HalfWritten(Silent)
    monkeypatch.setattr("streaming.feeds.clients.time.monotonic", lambda: now[0])
    monkeypatch.setattr(clients, "Consumer", made)
    trouble = Trouble(structlog.get_logger(), "read groups")
    feed = FeedConsumer({}, trouble, [TopicPartition("groups", 0, 0)])
    for times in (2, 3):
        now[0] += clients.WORN_S + 1
        for _ in range(5):
            feed.poll(0)
        assert times == made.asked


def test_that_no_client_can_be_made_is_over_when_one_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The old one still reads, and the log would say by turns that all is well and that it is not.

    One of two partitions rests, so that another client is tried again and again.
    """
    now, made = [0.0], HalfWritten(Silent, lacking=5)
    monkeypatch.setattr("streaming.feeds.clients.time.monotonic", lambda: now[0])
    monkeypatch.setattr(clients, "Consumer", made)
    with capture_logs() as lines:
        trouble = Trouble(structlog.get_logger(), "read groups")
        feed = FeedConsumer({}, trouble, [TopicPartition("groups", it, 0) for it in range(2)])
        for times in range(7):
            now[0] += clients.WORN_S + 1
            feed.poll(0)
            trouble.over()  # the other partition has said something
            assert (times < 5) == (len(lines) < 2)

    assert 8 == made.asked
    assert ["cannot make a new client to read groups; retrying", lines[1]["event"]] == [
        it["event"] for it in lines
    ]
    assert "can make a new client to read groups again" == lines[1]["event"]


def test_a_writer_that_cannot_be_replaced_writes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other partitions take its records, and the next one may be made."""
    made = HalfWritten(Delivering)
    monkeypatch.setattr(clients, "Producer", made)
    monkeypatch.setattr(Delivering, "failing", frozenset({1}))
    with capture_logs() as lines:
        feed = FeedProducer({}, Trouble(structlog.get_logger(), "write ticks"), worn_s=-1)
        for partition in (1, 0, 1):
            feed.write("heartbeats", b"", b"", partition)
            feed.poll()

    assert made.asked > 2
    assert any("key values mismatch" in str(line["reason"]) for line in lines)
