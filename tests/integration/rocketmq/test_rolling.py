"""A group of RocketMQ's moves by a rolling deployment: old consumers and attached ones share it."""

import time
from unittest.mock import Mock

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.integration.rocketmq.consumers import LITE, QUEUES, Consumers, Work, overlaps

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PATIENCE_S = 40.0
SECOND = 1_000_000_000
CHANGES_NS = 10 * SECOND
"""RocketMQ's clients hear of a change one by one, and each deals anew by what it has heard. That
takes one or two of these seconds, and more on a machine that is busy."""
QUIET_S = 2.0
"""So long nobody comes or goes, each time that RocketMQ has dealt: a message for each queue."""
AT_WORK = 5
"""Messages: so many a worker finishes before it counts as one that has come."""


def test_a_group_moves_one_by_one_and_back(consumers: Consumers) -> None:
    """Nobody works on another's queue but while RocketMQ deals anew; no message is lost."""
    changes = list[tuple[int, int]]()

    def joins(name: str, library: str, rule: str) -> None:
        began = time.monotonic_ns()
        consumers.join(name, library, "concurrently", fallback=rule)
        consumers.workers[name].wait_for(" end ", count=AT_WORK)
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
    obeyed(consumers, changes)
    joins("old3", FIVE, "BROKER")
    both(consumers, "MOVING")
    share_all(consumers, changes, "new1", "new2", "old3")
    leaves("new1")
    leaves("new2")
    await_shares(consumers, "old3")
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
            consumers.workers[name].wait_for(" end ", count=AT_WORK)
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
    obeyed(consumers, changes)
    join("BROKER", old3=(FIVE, LITE))
    both(consumers, "MOVING")
    share_all(consumers, changes, "new1", "new2", "old3")
    leave("new1", "new2")
    await_shares(consumers, "old3")
    sent = consumers.stop()

    work = consumers.work()
    assert set(range(sent)) <= {it.number for it in work}
    assert [] == apart(work, changes)


def apart(work: list[Work], changes: list[tuple[int, int]]) -> list[tuple[Work, Work]]:
    """Those that two had in hand at a time, of one queue, while nobody came or went."""
    return [
        pair
        for pair in overlaps(work)
        if not any(began < max(it.begun for it in pair) < ended for began, ended in changes)
    ]


def both(consumers: Consumers, wanted: str) -> None:
    """Wait until both attached ones work by this rule."""
    deadline = time.monotonic() + PATIENCE_S
    while {consumers.state(it) for it in ("new1", "new2")} != {wanted}:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def obeyed(consumers: Consumers, changes: list[tuple[int, int]]) -> None:
    """Wait until the attached ones do as the controller says: from then on nothing is excused.

    Until then RocketMQ deals, or they hear of the change one by one, however long that takes.
    """
    both(consumers, "OBEYING")
    began, _ = changes[-1]
    changes[-1] = began, time.monotonic_ns()
    consumers.settle("new1#trimtab", "new2#trimtab")
    await_shares(consumers, "new1", "new2")
    time.sleep(QUIET_S)


def over(change: tuple[int, int]) -> tuple[int, int]:
    """A change is over now, or should have been."""
    began, ended = change
    return began, min(time.monotonic_ns(), ended + CHANGES_NS)


def share_all(consumers: Consumers, changes: list[tuple[int, int]], *names: str) -> None:
    """Wait until RocketMQ has dealt, and then for a while in which nobody comes or goes."""
    await_shares(consumers, *names)
    changes[-1] = over(changes[-1])
    time.sleep(QUIET_S)


def await_shares(consumers: Consumers, *names: str) -> None:
    """Wait until these and nobody else work, each on queues of its own, and on all of them."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        shares = consumers.shares()
        owned = [it for share in shares.values() for it in share]
        if {*names} == shares.keys() and QUEUES == len(owned) == len({*owned}):
            return
        assert time.monotonic() < deadline, shares
        time.sleep(0.2)


@pytest.mark.parametrize(("after_s", "found"), [(-1, False), (1, True)])
@pytest.mark.parametrize("dealt_s", [0, 8, 30])
def test_what_two_work_on_while_nobody_comes_or_goes_is_found(
    monkeypatch: pytest.MonkeyPatch, dealt_s: int, after_s: int, *, found: bool
) -> None:
    """Right after RocketMQ has dealt, and if it takes too long."""
    monkeypatch.setattr(time, "monotonic_ns", lambda: (100 + dealt_s) * SECOND)
    change = over((90 * SECOND, 100 * SECOND))
    begun = (100 + min(dealt_s, 10) + after_s) * SECOND
    queue = ("orders", "0")
    first = Work(begun - SECOND, begun + SECOND, "old2", queue, 1)
    pair = (first, Work(begun, begun + SECOND, "new1", queue, 2))

    assert ([pair] if found else []) == apart([*pair], [change])


@pytest.mark.parametrize(("after_s", "found"), [(-1, False), (1, True)])
def test_what_two_work_on_is_found_as_soon_as_they_obey(
    monkeypatch: pytest.MonkeyPatch, after_s: int, *, found: bool
) -> None:
    """Not before that, on the slowest machine."""
    monkeypatch.setattr(time, "monotonic_ns", lambda: 130 * SECOND)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    consumers = Mock(spec=Consumers)
    consumers.state.return_value = "OBEYING"
    queues = [("orders", str(it)) for it in range(QUEUES)]
    consumers.shares.return_value = {"new1": {*queues[1:]}, "new2": {queues[0]}}
    changes = [(90 * SECOND, 100 * SECOND)]
    obeyed(consumers, changes)
    begun = (130 + after_s) * SECOND
    first = Work(begun - SECOND, begun + SECOND, "new1", queues[0], 1)
    pair = (first, Work(begun, begun + SECOND, "new2", queues[0], 2))

    assert ([pair] if found else []) == apart([*pair], changes)
