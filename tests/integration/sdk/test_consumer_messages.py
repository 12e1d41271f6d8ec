"""What a message is: the same, whichever client has read it."""

import time
from contextlib import closing
from typing import Any, cast

import pytest
from confluent_kafka import Message, Producer

from console.embedded.broker import EmbeddedKafka
from tests.integration.readings import PATIENCE_S, Reading, fill
from tests.integration.topics import create_topic
from trimtab import Grant, QueueRef
from trimtab.transports import Client as Library

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

ASKED = [
    "topic",
    "partition",
    "offset",
    "key",
    "value",
    "headers",
    "timestamp",
    "leader_epoch",
    "error",
    "__len__",
]


def test_a_message_says_the_same_with_either_client(
    kafka: EmbeddedKafka, topics_prefix: str
) -> None:
    """By the same methods: with key and headers, without, and without a value."""
    topic = f"{topics_prefix}work"
    create_topic(kafka.bootstrap_servers, topic, 2)
    with closing(Producer({"bootstrap.servers": kafka.bootstrap_servers})) as producer:
        producer.produce(topic, b"1", b"key", 1, headers=[("a", b"x"), ("a", b"y"), ("b", None)])
        producer.produce(topic, b"", partition=1, timestamp=1_600_000_000_123)
        producer.produce(topic, None, b"deleted", partition=1)
        assert producer.flush(PATIENCE_S) == 0

    def read(library: Library) -> list[Message]:
        with Reading(kafka.bootstrap_servers, f"{topic}-{library}", library).running() as reading:
            reading.assign(Grant(QueueRef(topic, "", 1), 1))
            return reading.take(3)

    ours, other = (read(it) for it in ("kafka-python", "confluent"))
    for name in ASKED:
        said = [[getattr(it, name)() for it in some] for some in (ours, other)]
        assert said[0] == said[1], name
    assert [b"1", b"", None] == [cast("Any", it).record.value for it in ours]


@pytest.mark.parametrize("library", ["confluent", "kafka-python"])
def test_who_does_not_wait_reads_all_the_same(
    kafka: EmbeddedKafka, topics_prefix: str, library: Library
) -> None:
    """A program with a loop of its own asks for what is there, again and again."""
    topic = f"{topics_prefix}work"
    create_topic(kafka.bootstrap_servers, topic, 2)
    fill(kafka.bootstrap_servers, topic)
    found, late = list[Message](), time.monotonic() + PATIENCE_S
    with Reading(kafka.bootstrap_servers, topic, library).running() as reading:
        reading.assign(Grant(QueueRef(topic, "", 0), 1))
        while len(found) < 5 and time.monotonic() < late:
            found.extend(filter(None, [reading.poll(0)]))
            time.sleep(0.005)

    assert [*range(5)] == [it.offset() for it in found]
