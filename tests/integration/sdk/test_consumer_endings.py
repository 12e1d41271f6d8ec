"""What a consumer waits for on a real broker when it gives queues up, or ends; what it commits."""

import time
from contextlib import closing

import pytest
from confluent_kafka import Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from tests.integration.readings import PATIENCE_S, Reading, committed
from tests.integration.topics import create_topic
from trimtab import Consumer, Grant, QueueRef
from trimtab.transports import Client as Library

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]


def test_a_hand_over_waits_for_no_mark_of_a_transaction(
    kafka: EmbeddedKafka, topics_prefix: str, library: Library
) -> None:
    """Between two messages there may be more than one offset; what is committed is committed."""
    topic, servers = f"{topics_prefix}work", kafka.bootstrap_servers
    create_topic(servers, topic, 1)
    settings = {"bootstrap.servers": servers, "transactional.id": topic, "log_level": 0}
    with closing(Producer(settings)) as producer:
        producer.init_transactions(PATIENCE_S)
        for _ in range(4):
            producer.begin_transaction()
            producer.produce(topic, b"one", partition=0)
            producer.commit_transaction(PATIENCE_S)
    first = Grant(QueueRef(topic, "", 0), 1, position=0)
    with Reading(servers, topic, library, commit="manual").running() as reading:
        reading.assign(first)
        messages = reading.take(2)
        assert reading.commit(*messages)
        began = time.monotonic()
        positions = reading.handover.on_revoked((first,))

    assert time.monotonic() - began < PATIENCE_S / 4  # half of it is for what is not committed
    assert {first.queue: 3} == positions


def test_a_loop_around_poll_has_finished_its_last_message(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """It polls once more when it is told to stop, and that is what says so."""
    controller, seen = MemoryTransport(work), list[int]()
    consumer = Consumer(
        kafka.bootstrap_servers, group=GROUP, topics=[work], client=library, transport=controller
    )
    with consumer:
        controller.assign(1, hold=[(0, 1)])
        while consumer.running:
            if (message := consumer.poll(1.0)) is not None:
                seen.append(message.offset() or 0)
                if len(seen) == 3:
                    consumer.stop()

    assert [0, 1, 2] == seen
    assert 3 == committed(kafka.bootstrap_servers, GROUP, TopicPartition(work, 0))
