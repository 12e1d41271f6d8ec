"""RocketMQ's consumers that pull by themselves, and those that have stopped asking for messages."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import Consumers, overlaps

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

SOON_S: Final = 30.0
"""Some rebalances and pulls, also on a machine that is busy."""
LOOKS_S: Final = 0.4


def test_pull_consumers_obey(consumers: Consumers, published: Published) -> None:
    """Those that pull by themselves: one owner, none is lost, and none is twice but by a kill."""
    consumers.begin()
    for name, library, kind in (("a", FIVE, "listener"), ("b", FOUR, "tasks")):
        consumers.join(name, library, kind)
    consumers.settle("a", "b")
    for name, library, kind in (("c", FIVE, "tasks"), ("d", FOUR, "listener")):
        consumers.join(name, library, kind)
    consumers.settle("a", "b", "c", "d")
    for name in ("a", "b"):
        assert 0 == consumers.workers[name].end()
    consumers.settle("c", "d")
    assert {"released"} == published.endings(consumers.group)
    consumers.killed["c"] = consumers.workers["c"].kill()
    consumers.settle("d")

    sent = consumers.stop()

    work = consumers.work()
    counts = Counter(it.number for it in work)
    assert set(range(sent)) <= counts.keys()
    assert [] == overlaps(work)
    assert {"a", "b", "c", "d"} == {it.worker for it in work}
    killed = {it.number for it in work if it.worker == "c"}
    assert {number for number, times in counts.items() if times > 1} <= killed


def await_state(holds: Callable[[], bool]) -> None:
    """Ask consumers until something is so."""
    deadline = time.monotonic() + SOON_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(LOOKS_S)


def test_a_queue_that_is_not_asked_for_is_reported_and_taken_away_if_told_so(
    consumers: Consumers,
) -> None:
    """RocketMQ's client begins anew with it; or it leaves, and another one has all queues."""
    consumers.begin()
    consumers.join("a", FIVE, "REPORT")
    consumers.settle("a")
    await_state(lambda: consumers.stalls("a") > 1)
    assert "OBEYING" == consumers.state("a")
    consumers.join("b", FOUR, "LEAVE")
    consumers.settle("a", "b")
    sent = consumers.stop()  # so an answer takes longer than is borne here

    await_state(lambda: consumers.state("b") == "STALLED")
    consumers.settle("a")
    work = consumers.work()
    assert set(range(sent)) == {it.number for it in work}
    assert [] == overlaps(work)  # what is at work when a queue is taken comes again
