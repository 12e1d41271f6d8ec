"""A consumer that follows its grants on a real broker: where it begins, stops and commits."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.integration.topics import create_topic
from trimtab import Grant, QueueRef
from trimtab.kafka import ConsumerBinding

pytestmark = [
    pytest.mark.kafka,
    # kafka-python 3.0 reads its schemas in a way that Python 3.11 deprecates.
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
]

PATIENCE_S = 20.0


class Reading:
    """A consumer that is bound to grants by hand."""

    def __init__(self, servers: str, group: str) -> None:
        self.consumer = Consumer(
            {
                "bootstrap.servers": servers,
                "group.id": group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "log_level": 2,
            }
        )
        self.binding = ConsumerBinding(self.consumer)

    def read(self, count: int) -> list[tuple[int, int]]:
        """Handle so many messages: their partitions and offsets."""
        found: list[tuple[int, int]] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < count and time.monotonic() < deadline:
            message = self.binding.poll(0.1)
            if message is not None:
                assert message.error() is None
                found.append((message.partition() or 0, message.offset() or 0))
        self.binding.put_down()
        return found

    def committed(self, queue: QueueRef) -> int:
        """What the group has committed."""
        (found,) = self.consumer.committed([TopicPartition(queue.topic, queue.id)], PATIENCE_S)
        return found.offset


def fill(servers: str, topic: str) -> None:
    """Write five messages into each of two partitions."""
    producer = Producer({"bootstrap.servers": servers, "log_level": 2})
    for number in range(10):
        producer.produce(topic, value=b"x", partition=number % 2)
    assert producer.flush(PATIENCE_S) == 0
    producer.close()


@pytest.fixture
def work(kafka: EmbeddedKafka, topics_prefix: str) -> str:
    """A topic of two partitions, with five messages in each."""
    topic = f"{topics_prefix}work"
    create_topic(kafka.bootstrap_servers, topic, 2)
    fill(kafka.bootstrap_servers, topic)
    return topic


@pytest.fixture
def reading(kafka: EmbeddedKafka, work: str) -> Iterator[Reading]:
    """A bound consumer."""
    reading = Reading(kafka.bootstrap_servers, work)
    yield reading
    reading.consumer.close()


def test_a_binding_begins_where_the_last_owner_stopped(reading: Reading, work: str) -> None:
    """At the position of the grant; without one, where the group has committed, or at the start."""
    reading.binding.on_assigned(
        (Grant(QueueRef(work, "", 0), 1, position=3), Grant(QueueRef(work, "", 1), 1))
    )

    expected = [(0, 3), (0, 4), *((1, offset) for offset in range(5))]
    assert expected == sorted(reading.read(7))


def test_a_binding_outlasts_a_coordinator_that_has_just_started(tmp_path: Path) -> None:
    """Where the group stopped is asked for again until it is known: no queue rests for ever."""
    with EmbeddedKafka(tmp_path, port=0) as fresh:
        create_topic(fresh.bootstrap_servers, "work", 2)
        fill(fresh.bootstrap_servers, "work")
        reading = Reading(fresh.bootstrap_servers, "work")
        reading.binding.on_assigned(
            (Grant(QueueRef("work", "", 0), 1), Grant(QueueRef("work", "", 1), 1))
        )
        assert 10 == len(set(reading.read(10)))
        reading.consumer.close()


def test_a_binding_stops_between_two_messages_and_says_where(reading: Reading, work: str) -> None:
    """The position is committed and returned; the other queues go on where they were."""
    first, second = QueueRef(work, "", 0), QueueRef(work, "", 1)
    reading.binding.on_assigned((Grant(first, 1), Grant(second, 1)))
    before = reading.read(4)
    positions = reading.binding.on_revoked((Grant(first, 1),))
    handled = len([partition for partition, _ in before if partition == 0])
    after = reading.read(1 + handled)

    assert handled == (positions[first] or 0)
    assert handled == max(0, reading.committed(first))
    assert {1} == {partition for partition, _ in after}
    assert sorted({*before, *after}) == sorted([*before, *after])


def test_a_binding_commits_nothing_for_what_was_lost(reading: Reading, work: str) -> None:
    """Somebody else may have gone further already."""
    first = QueueRef(work, "", 0)
    reading.binding.on_assigned((Grant(first, 1),))
    reading.read(3)
    reading.binding.on_lost((Grant(first, 1),))

    assert reading.committed(first) < 0
    assert [] == reading.consumer.assignment()


def test_what_is_lost_may_have_been_given_up_a_moment_ago(reading: Reading, work: str) -> None:
    """The member fenced itself while the application was letting go."""
    first, second = QueueRef(work, "", 0), QueueRef(work, "", 1)
    reading.binding.on_assigned((Grant(first, 1), Grant(second, 1)))
    reading.read(1)
    reading.binding.put_down()
    reading.binding.on_revoked((Grant(first, 1),))
    reading.binding.on_lost((Grant(first, 1), Grant(second, 1)))

    assert [] == reading.consumer.assignment()
