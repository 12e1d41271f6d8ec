"""What a queue of which Kafka says nothing keeps from others: nothing."""

import time
from typing import Any, cast

import pytest

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import CommitError, Grant
from trimtab.consuming.contract import Ends, RefusedError
from trimtab.consuming.offsets import GroupOffsets
from trimtab.protocol import QueueRef


@pytest.fixture
def without() -> InMemory:
    """A reader of two queues, of which nothing is committed, and the first one is not there."""
    reading = InMemory()
    reading.kafka.commits = False
    reading.kafka.leaderless.add(queue(0))
    reading.owned = {Grant(queue(0), 1), Grant(queue(1), 1)}
    reading.handover.on_assigned(tuple(reading.owned))
    return reading


def test_a_queue_that_is_not_there_keeps_no_other_from_being_read(
    without: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A topic was made anew with fewer partitions, or one has no leader."""
    begun: dict[QueueRef, int] = {}
    monkeypatch.setattr(without.kafka, "begin", begun.update)
    without.upkeep.look()
    first = dict(begun)
    without.kafka.leaderless.clear()
    time.sleep(0.15)
    without.upkeep.look()

    assert ({queue(1): 0}, {queue(0): 0, queue(1): 0}) == (first, begun)


@pytest.mark.parametrize("commits", [True, False])
def test_a_queue_that_may_not_be_read_keeps_no_other_from_being_read(
    without: InMemory,
    monkeypatch: pytest.MonkeyPatch,
    commits: bool,  # noqa: FBT001 - by pytest
) -> None:
    """Kafka does not even say what is committed of it."""
    begun: dict[QueueRef, int] = {}
    monkeypatch.setattr(without.kafka, "begin", begun.update)
    without.kafka.commits = commits
    without.kafka.leaderless, without.kafka.denied = set(), {queue(0)}
    without.upkeep.look()
    first = dict(begun)
    without.kafka.denied.clear()
    time.sleep(0.15)
    without.upkeep.look()

    assert ({queue(1): 0}, {queue(0): 0, queue(1): 0}) == (first, begun)


def undecided() -> tuple[InMemory, Grant]:
    """A reader of one queue that begins at the end, 100, which Kafka does not take a commit of."""
    reading, grant = InMemory(), Grant(queue(), 1)
    kafka = reading.kafka
    reading.intake.offsets = GroupOffsets(cast("Any", kafka), "latest")
    kafka.commits, kafka.length, kafka.refusal = False, 100, RefusedError(kafka.lack)
    reading.owned.add(grant)
    reading.handover.on_assigned((grant,))
    reading.upkeep.look()
    kafka.written.clear()
    kafka.length = 150
    return reading, grant


def test_where_to_begin_is_decided_once() -> None:
    """What is written before Kafka takes the commit of that is read."""
    reading, _ = undecided()
    reading.kafka.refusal = None
    time.sleep(0.15)
    reading.upkeep.look()

    assert ([100], {queue(): 100}) == (reading.committed(), reading.kafka.begun)


@pytest.mark.parametrize(("end", "begins"), [(150, 100), (30, 30)])
def test_who_gets_a_queue_again_begins_where_it_had_decided(end: int, begins: int) -> None:
    """It had lost it, and Kafka still has nothing; unless the log has been cut, or made anew."""
    reading, grant = undecided()
    reading.lose(grant)
    reading.kafka.refusal, reading.kafka.length = None, end
    again = Grant(queue(), 2)
    reading.owned.add(again)
    reading.handover.on_assigned((again,))
    time.sleep(0.15)
    reading.upkeep.look()

    assert ([begins], {queue(): begins}) == (reading.committed(), reading.kafka.begun)
    assert {} == reading.intake.decided


@pytest.mark.parametrize("position", [None, 120])
def test_what_others_have_committed_since_counts(position: int | None) -> None:
    """They have begun: what was decided before is over, also for who is told where to begin."""
    reading, grant = undecided()
    reading.lose(grant)
    reading.kafka.written.append({queue(): 120})
    again = Grant(queue(), 2, position=position)
    reading.owned.add(again)
    reading.handover.on_assigned((again,))
    assert {} == reading.intake.decided_of([again])  # it is not handed on, either
    time.sleep(0.15)
    reading.upkeep.look()

    assert ({queue(): 120}, {}) == (reading.kafka.begun, reading.intake.decided)


def test_where_to_begin_is_handed_on_by_who_has_decided_it() -> None:
    """Its heir would decide it anew."""
    reading, grant = undecided()

    assert {queue(): 100} == reading.handover.on_revoked((grant,))


def test_a_queue_that_may_not_be_read_keeps_no_other_from_being_committed() -> None:
    """By hand, in turns, or at the end of a hand-over."""
    reading = InMemory()
    denied = Grant(queue(1), 1, position=5)
    grant = reading.grant(1)
    reading.owned.add(denied)
    reading.kafka.denied.add(queue(1))
    reading.handover.on_assigned((denied,))
    reading.offer(*range(5))
    messages = [reading.taken() for _ in range(4)]
    assert reading.parts.commit(messages)
    reading.taken()
    with pytest.raises(CommitError):
        reading.parts.commit(None)
    reading.take(0.0)
    reading.handover.on_revoked((grant, denied))

    assert [4, 5] == reading.committed()


@pytest.mark.parametrize(("pause_s", "count"), [(0.05, 1), (0.0, 2)])
def test_who_says_nothing_is_asked_once_in_a_hand_over(
    monkeypatch: pytest.MonkeyPatch, pause_s: float, count: int
) -> None:
    """It has two parts, if something is in hand, and one time, after which all queues are lost."""
    monkeypatch.setattr("trimtab.consuming.handover._SILENT_S", 0.04)
    reading = InMemory()
    idle, busy = Grant(queue(1), 1, position=5), reading.grant(1)
    reading.owned.add(idle)
    reading.handover.on_assigned((idle,))
    reading.offer(0, 1)
    reading.taken()
    reading.taken()
    asked: list[object] = []

    def refuse(look: object) -> bool:
        asked.append(look)
        time.sleep(pause_s)
        raise RefusedError(reading.kafka.lack)

    monkeypatch.setattr(reading.handover.commits, "write", refuse)
    positions = reading.handover.on_revoked((idle, busy), lambda _: reading.intake.give_up())

    assert ({idle.queue: 5, busy.queue: 1}, count) == (positions, len(asked))


def test_a_queue_that_has_just_come_does_not_wait_for_one_without_an_answer(
    without: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That one is asked about more rarely, the longer its question takes."""
    monkeypatch.setattr("trimtab.consuming.offsets._ASK_AGAIN_S", 600.0)
    asked: list[list[QueueRef]] = []
    found, begun = without.kafka.found, dict[QueueRef, int]()

    def ask(queues: list[QueueRef], end: object, timeout_s: float) -> Ends:
        asked.append(sorted(queues))
        return found(queues, end, timeout_s)

    monkeypatch.setattr(without.kafka, "found", ask)
    monkeypatch.setattr(without.kafka, "begin", begun.update)
    without.upkeep.look(hurried=True)
    begun.clear()
    asked.clear()
    for one in (Grant(queue(2), 1), Grant(queue(3), 1, position=5)):
        without.owned.add(one)
        without.handover.on_assigned((one,))
    without.kafka.astray[queue(1)] = None
    for _ in range(3):
        without.upkeep.look(hurried=True)

    assert {queue(1): 0, queue(2): 0, queue(3): 5} == begun
    assert [[queue(2)], [queue(1)]] == asked
    assert without.intake.readings[queue(3)].committed is not None


def test_what_passes_in_a_moment_is_not_told(
    without: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brokers hear of a new partition one after another; what lasts is told once."""
    now = time.monotonic()
    clock = [now]
    monkeypatch.setattr("trimtab.consuming.upkeep.now_s", lambda: clock[0])
    told = []
    for passed in (0.0, 3.0, 4.0, 200.0, 203.0, 205.5, 206.0):  # it was over after 4
        clock[0] = now + passed
        without.upkeep.look()
        told.append(len(without.errors))

    assert [0, 0, 0, 0, 0, 1, 1] == told
    assert "all that is to be read of orders" in str(without.errors[0])


def test_what_is_to_be_read_on_elsewhere_waits_for_no_other_queue(
    without: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not there is asked about again and again."""
    without.upkeep.look()
    without.kafka.astray[queue(1)] = None
    begun: dict[QueueRef, int] = {}
    monkeypatch.setattr(without.kafka, "begin", begun.update)
    time.sleep(0.15)
    without.upkeep.look()

    assert {queue(1): 0} == begun
