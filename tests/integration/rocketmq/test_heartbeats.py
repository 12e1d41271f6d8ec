"""Heartbeats of RocketMQ's own clients, through a real Kafka and a real Spark."""

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.builders.rocketmq import consumer, heartbeat
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def test_clients_are_members_of_all_their_groups(
    kafka: EmbeddedKafka,
    controller: ControllerProcess,
    published: Published,
    group: str,
    topic: str,
) -> None:
    """One record each, wherever their groups live; who unregisters from one stays in the others."""
    groups = [f"{group}-{number}" for number in range(5)]
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})

    def says(client: str, value: bytes) -> None:
        producer.produce(f"{controller.prefix}rocketmq", value, client)

    for client in ("c1", "c2"):
        says(client, heartbeat(*(consumer(each, topic) for each in groups), clientID=client))
    assert 0 == producer.flush(30)
    published.wait_until(lambda: all(published.is_stable(it, ("c1", "c2"), 8) for it in groups))

    says("c1", f'{{"clientID":"c1","consumerGroup":"{groups[0]}"}}'.encode())
    assert 0 == producer.flush(30)
    published.wait_until(lambda: published.is_stable(groups[0], ("c2",), 8))
    published.watch(2)

    assert all(published.is_stable(it, ("c1", "c2"), 8) for it in groups[1:])
