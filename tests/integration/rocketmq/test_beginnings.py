"""Where RocketMQ's consumers that obey begin, if the application does not say it.

A new group begins at the end, where its broker has not the first message any more. Its brokers know
nothing of that until a message is finished; whoever has a queue next must not begin at its end of
that later time.
"""

import time
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import LITE, Consumers

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

BEGINS_S: Final = 3.0
"""A consumer has begun on its queues. RocketMQ itself commits where it is after 15 s of waiting."""


@pytest.mark.parametrize(
    ("library", "listener", "option"),
    [
        pytest.param(FIVE, "at-end", "NONE", id="5-pushed"),
        pytest.param(FOUR, LITE, "AT_END", id="4-polled"),
    ],
)
def test_what_comes_after_a_group_has_begun_is_lost_by_no_hand_over(
    consumers: Consumers, published: Published, library: str, listener: str, option: str
) -> None:
    """It was idle, and its only consumer is killed; what is sent then is the next one's."""
    consumers.begin()
    consumers.expire()
    consumers.join("a", library, listener, fallback=option)
    consumers.settle("a")
    published.wait_until(lambda: consumers.state("a") == "OBEYING")
    time.sleep(BEGINS_S)
    consumers.killed["a"] = consumers.workers["a"].kill()
    consumers.send_anew()
    consumers.join("b", library, listener, fallback=option)
    consumers.settle("b")
    published.wait_until(lambda: bool(consumers.numbers()))
    consumers.stop()

    assert {"b"} == {it.worker for it in consumers.work()}
