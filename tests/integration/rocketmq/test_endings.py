"""Queues of a listener that is interrupted, and of a process that ends: a real RocketMQ."""

from typing import Final

import pytest

from bench.rocketmq.programs import FIVE
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import Consumers

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

INTERRUPTED: Final = 99
"""The message at which a listener is interrupted."""
SOON_S: Final = 10.0
"""RocketMQ's client looks by itself after 20 s."""


def test_each_of_several_consumers_of_a_process_is_waited_for(
    consumers: Consumers, published: Published
) -> None:
    """A hook shuts them down one after another, the last one later than it would wait for one."""
    consumers.begin()
    consumers.join("stays", FIVE, "concurrently")
    consumers.join("goes", FIVE, "several")
    consumers.settle("stays", "goes", "goes-2")
    consumers.workers["goes"].terminate()
    consumers.settle("stays")

    assert {"released"} == published.endings(consumers.group)


def test_a_queue_whose_listener_was_interrupted_goes_on_soon(
    consumers: Consumers, published: Published
) -> None:
    """It is dropped, so that the message is not lost; the client begins on it anew."""
    consumers.begin()
    consumers.join("a", FIVE, "interrupts")
    consumers.settle("a")
    at = int(consumers.workers["a"].wait_for(" interrupt ").split()[0])
    published.wait_until(lambda: INTERRUPTED in consumers.numbers())

    again = min(it.begun for it in consumers.work() if it.number == INTERRUPTED)
    assert again - at < SOON_S * 1_000_000_000
