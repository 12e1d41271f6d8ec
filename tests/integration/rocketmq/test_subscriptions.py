"""Consumers of one group that subscribe different topics: real ones of RocketMQ, that obey."""

import time
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import QUEUES, WITH_RETRIES, Consumers

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

THREE_BEATS_S: Final = 10.0


def test_each_of_a_group_has_its_own_subscription(
    consumers: Consumers, published: Published
) -> None:
    """A heartbeat of the one takes the other's topic from what the broker remembers."""
    consumers.begin()
    other = f"{consumers.group}-other"
    consumers.tell_server(f"topic {other} {QUEUES}", "made")
    consumers.join("a", FIVE, "beats")
    consumers.topic = other
    consumers.join("b", FOUR, "beats")
    clients = {"worker@a", "worker@b"}
    published.wait_until(
        lambda: published.is_stable(consumers.group, clients, QUEUES + WITH_RETRIES)
    )
    published.wait_until(lambda: len(consumers.shares().get("a", ())) == QUEUES)
    time.sleep(THREE_BEATS_S)
    consumers.stop()

    assert [] == consumers.heard_of_server("refused ")
