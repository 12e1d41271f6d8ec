"""A group of RocketMQ's moves by a rolling deployment: old consumers and attached ones share it."""

import time

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.rocketmq.consumers import LITE, QUEUES, Consumers, Work, overlaps

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PATIENCE_S = 40.0
CHANGES_NS = 3_000_000_000
"""RocketMQ's clients hear of a change one by one, and each deals anew by what it has heard."""


def test_a_group_moves_one_by_one_and_back(consumers: Consumers) -> None:
    """Nobody works on another's queue but while RocketMQ deals anew; no message is lost."""
    changes = list[tuple[int, int]]()

    def joins(name: str, library: str, rule: str) -> None:
        began = time.monotonic_ns()
        consumers.join(name, library, "concurrently", fallback=rule)
        consumers.workers[name].wait_for(" end ", count=20)
        changes.append((began, time.monotonic_ns()))

    def leaves(name: str) -> None:
        began = time.monotonic_ns()
        assert consumers.workers[name].end() == 0
        changes.append((began, time.monotonic_ns()))

    consumers.begin()
    joins("old1", FOUR, "BROKER")
    joins("old2", FIVE, "BROKER")
    joins("new1", FIVE, "MOVING")
    share_all(consumers, changes, "old1", "old2", "new1")
    assert "MOVING" == consumers.state("new1")
    leaves("old1")
    joins("new2", FOUR, "MOVING")
    share_all(consumers, changes, "old2", "new1", "new2")
    leaves("old2")
    both(consumers, "OBEYING")
    changes.append((time.monotonic_ns(), time.monotonic_ns()))
    consumers.settle("new1#trimtab", "new2#trimtab")
    share_all(consumers, changes, "new1", "new2")

    joins("old3", FIVE, "BROKER")
    both(consumers, "MOVING")
    share_all(consumers, changes, "new1", "new2", "old3")
    leaves("new1")
    leaves("new2")
    share_all(consumers, changes, "old3")
    sent = consumers.stop()

    work = consumers.work()
    assert set(range(sent)) <= {it.number for it in work}
    assert [] == apart(work, changes)


def test_consumers_that_poll_or_pull_move_and_back(consumers: Consumers) -> None:
    """Two of each kind in one group, which is no other for them than that of those that listen."""
    changes = list[tuple[int, int]]()

    def changed(began: int) -> None:
        changes.append((began, time.monotonic_ns()))

    def join(rule: str, **those: tuple[str, str]) -> None:
        began = time.monotonic_ns()
        for name, (library, listener) in those.items():
            consumers.join(name, library, listener, fallback=rule)
        for name in those:
            consumers.workers[name].wait_for(" end ", count=20)
        changed(began)

    def leave(*names: str) -> None:
        began = time.monotonic_ns()
        assert [0] * len(names) == [consumers.workers[it].end() for it in names]
        changed(began)

    consumers.begin()
    join("BROKER", old1=(FOUR, LITE), old2=(FIVE, "listener"))
    join("MOVING", new1=(FIVE, LITE), new2=(FOUR, "listener"))
    share_all(consumers, changes, "old1", "old2", "new1", "new2")
    assert {"MOVING"} == {consumers.state(it) for it in ("new1", "new2")}
    leave("old1", "old2")
    both(consumers, "OBEYING")
    changed(time.monotonic_ns())
    consumers.settle("new1#trimtab", "new2#trimtab")
    share_all(consumers, changes, "new1", "new2")
    join("BROKER", old3=(FIVE, LITE))
    both(consumers, "MOVING")
    share_all(consumers, changes, "new1", "new2", "old3")
    leave("new1", "new2")
    share_all(consumers, changes, "old3")
    sent = consumers.stop()

    work = consumers.work()
    assert set(range(sent)) <= {it.number for it in work}
    assert [] == apart(work, changes)


def apart(work: list[Work], changes: list[tuple[int, int]]) -> list[tuple[Work, Work]]:
    """Those that two had in hand at a time, of one queue, while nobody came or went."""
    return [
        pair
        for pair in overlaps(work)
        if not any(
            began - CHANGES_NS < max(it.begun for it in pair) < ended + CHANGES_NS
            for began, ended in changes
        )
    ]


def both(consumers: Consumers, wanted: str) -> None:
    """Wait until both attached ones work by this rule."""
    deadline = time.monotonic() + PATIENCE_S
    while {consumers.state(it) for it in ("new1", "new2")} != {wanted}:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def share_all(consumers: Consumers, changes: list[tuple[int, int]], *names: str) -> None:
    """Wait until these and nobody else work, each on queues of its own, and on all of them.

    Until then RocketMQ deals anew, and the last change is not over.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        shares = consumers.shares()
        owned = [it for share in shares.values() for it in share]
        if {*names} == shares.keys() and QUEUES == len(owned) == len({*owned}):
            changes[-1] = (changes[-1][0], time.monotonic_ns())
            return
        assert time.monotonic() < deadline, shares
        time.sleep(0.2)
