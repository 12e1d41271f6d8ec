"""Consumers of one group that subscribe different topics: real ones of RocketMQ, that obey."""

import time
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import LITE, QUEUES, WITH_RETRIES, Consumers

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

THREE_BEATS_S: Final = 10.0
SEEN_AGAIN_S: Final = 4.0
"""A consumer has begun on its queues by then."""


def held(published: Published, consumers: Consumers, name: str) -> int:
    """How many queues of the topic a consumer holds."""
    said = [
        record
        for key, record in published.assignments.items()
        if key.group == consumers.group and key.member.startswith(f"worker@{name}")
    ]
    rows = [row for record in said if record is not None for row in record.hold]
    return sum(row.topic == consumers.topic for row in rows)


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


@pytest.mark.parametrize(
    ("listener", "fallback"), [("unsubscribes", "NONE"), (LITE, "UNSUBSCRIBES")]
)
def test_what_is_done_of_a_topic_that_is_unsubscribed_is_not_done_again(
    consumers: Consumers, published: Published, listener: str, fallback: str
) -> None:
    """RocketMQ removes its queues without a word to the broker, which was told nothing lately."""
    consumers.tell_server(f"topic {consumers.topic}-more 1", "made")
    consumers.begin()
    consumers.join("a", FIVE, listener, fallback=fallback)
    published.wait_until(lambda: len(consumers.shares().get("a", ())) == QUEUES)
    sent = consumers.stop()

    consumers.state("a")
    consumers.join("b", FIVE, LITE if listener == LITE else "concurrently")
    published.wait_until(lambda: held(published, consumers, "b") == QUEUES)
    published.watch(SEEN_AGAIN_S)

    assert [*range(sent)] == sorted(it.number for it in consumers.work())
