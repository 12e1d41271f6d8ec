"""What the doctor finds only by asking Kafka: who else reads, and which queues fall behind."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.command_line import Run

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PATIENCE_S = 60.0
FOUND = 3


def kinds(terminal: Run, group: str) -> dict[str, str]:
    """What the doctor finds about a group, by kind."""
    _, out, _ = terminal("doctor", group, "-o", "json")  # a slow Kafka is said on stderr
    found = json.loads(out)["findings"]
    return {it["kind"]: it["finding"] for it in found if it["subject"] == group}


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.usefixtures("two")
def test_kafka_s_own_consumers_of_the_group_are_named(
    terminal: Run, kafka: EmbeddedKafka, group: str, topic: str, protocol: str
) -> None:
    """Whichever protocol they speak; with none there is no finding."""
    assert "foreign members" not in kinds(terminal, group)
    settings = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": group}
    consumer = Consumer({**settings, "client.id": "old-app", "group.protocol": protocol})
    consumer.subscribe([topic])
    deadline = time.monotonic() + PATIENCE_S
    while not (consumer.poll(0.1), consumer.assignment())[1]:
        assert time.monotonic() < deadline

    assert "old-app at /127.0.0.1" in kinds(terminal, group)["foreign members"]
    assert FOUND == terminal("doctor", group)[0]
    consumer.close()


@contextmanager
def arriving(producer: Producer, topic: str, partition: int) -> Iterator[None]:
    """A few messages a second."""
    ended = Event()

    def send() -> None:
        while not ended.wait(0.5):
            producer.produce(topic, b"", partition=partition)
            producer.poll(0)

    thread = Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.usefixtures("two")
def test_a_queue_that_falls_behind_is_named_with_its_owner(
    terminal: Run, kafka: EmbeddedKafka, group: str, topic: str
) -> None:
    """Messages come and nothing is committed, though the owner lives."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    for _ in range(2_000):
        producer.produce(topic, b"", partition=0)
    assert 0 == producer.flush(PATIENCE_S)
    committed(kafka.bootstrap_servers, group, TopicPartition(topic, 0, 1))
    assert "lag" not in kinds(terminal, group)

    with arriving(producer, topic, 0):
        found = kinds(terminal, group)
    owner = owners(terminal, group)[f"{topic}-0"]
    assert found["lag"].startswith(f"{owner} is there and falls behind on {topic}-0 (2")
    assert 0 == producer.flush(PATIENCE_S)


def committed(servers: str, group: str, place: TopicPartition) -> None:
    """Commit for a group whose members are not Kafka's."""
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    consumer.commit(offsets=[place], asynchronous=False)
    consumer.close()


def owners(terminal: Run, group: str) -> Mapping[str, str]:
    """Who has each queue."""
    _, out, _ = terminal("queues", "list", group, "-o", "json")
    return {it["queue"]: it["owner"] for it in json.loads(out)["queues"]}
