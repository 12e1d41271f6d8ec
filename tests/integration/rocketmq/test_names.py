"""A name server that knows some of its brokers only: RocketMQ's clients and their queues."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import WITH_RETRIES, Consumers
from tests.integration.rocketmq_server import RocketMQ

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

AGAIN_S: Final = 15.0
"""After ten the broker has registered again; it may do so before the client has asked."""


@pytest.fixture
def consumers(
    tmp_path: Path, controller: ControllerProcess, published: Published, group: str, names: str
) -> Iterator[Consumers]:
    """Consumers of the test's group, on two brokers."""
    with (
        RocketMQ(tmp_path / "server", names, brokers=["broker-b"]) as server,
        closing(Consumers(tmp_path, controller, published, group, server)) as consumers,
    ):
        yield consumers


def test_a_name_server_that_learns_its_brokers_one_by_one_takes_no_queue(
    consumers: Consumers, published: Published, tmp_path: Path
) -> None:
    """It was started anew. What a consumer works on stays its own, and no message comes twice."""
    consumers.begin()
    consumers.join("a", FIVE, "alert")
    both = 2 * WITH_RETRIES
    published.wait_until(lambda: published.is_stable(consumers.group, {"worker@a"}, both))
    published.wait_until(lambda: len(consumers.shares().get("a", ())) == both - 2)

    told = changes(tmp_path, consumers)
    for _ in range(3):
        consumers.tell_server("forget broker-b", "forgotten")
        try:
            published.wait_until(lambda: changes(tmp_path, consumers) >= told + 2, AGAIN_S)
        except AssertionError:
            continue
        break

    assert told + 2 <= changes(tmp_path, consumers), "it has learnt that one is gone, and is back"
    sent = consumers.stop()
    assert dict.fromkeys(range(sent), 1) == Counter(it.number for it in consumers.work())
    assert not [it for it in log(tmp_path) if "remove unnecessary mq" in it]


def changes(home: Path, consumers: Consumers) -> int:
    """How often the client has learnt of other queues of the topic."""
    word = f"the topic[{consumers.group}-topic] route info changed"
    return sum(word in it for it in log(home))


def log(home: Path) -> list[str]:
    """What RocketMQ's client says."""
    return [
        line
        for file in sorted((home / "a" / "logs").rglob("*.log"))
        for line in file.read_text(errors="replace").splitlines()
    ]
