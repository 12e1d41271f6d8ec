"""When a consumer's application is told of a change."""

import itertools
from collections.abc import Callable, Collection
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import Grant
from trimtab.callbacks import Ownership, Positions
from trimtab.consuming.choice import Told
from trimtab.consuming.fair_lock import FairLock
from trimtab.consuming.handover import Handover


def test_the_application_is_told_before_anything_is_read() -> None:
    """So it can prepare for the first message."""
    events: list[str] = []
    leaders = SimpleNamespace(find=bool)
    client = SimpleNamespace(begin=lambda _: events.append("read"), pause=bool)
    intake = SimpleNamespace(
        turn=nullcontext(),
        owned=lambda grants: Ownership(frozenset(grants), 0.0, ""),
        client=client,
        leaders=leaders,
        readings={},
        manual=False,
        sought={},
        paused=set(),
    )
    told = Told(lambda _: events.append("told"), bool, bool, bool, bool)
    handover = Handover(cast("Any", intake), cast("Any", None), None, told, 2.0)
    handover.on_assigned((Grant(queue(), 1, position=3),))

    assert ["told", "read"] == events


def test_what_is_lost_while_its_beginning_is_told_is_not_read() -> None:
    """Others are at work by then; that it is lost is told when the application has come back."""
    reading = InMemory()
    told = Told(lambda _: reading.owned.clear(), bool, bool, bool, bool)
    handover = Handover(reading.intake, reading.handover.commits, None, told, 2.0)
    grant = Grant(queue(), 1, position=3)
    reading.owned.add(grant)
    handover.on_assigned((grant,))

    assert ({}, {}) == (reading.intake.readings, reading.kafka.begun)


def test_a_position_that_kafka_does_not_have_is_not_handed_on() -> None:
    """The topic was made anew: committed there, it would skip the new messages before it."""
    reading = InMemory()
    grant = reading.grant(1, 5_000)
    reading.kafka.astray[queue()] = None
    positions = reading.handover.on_revoked((grant,))

    assert ({}, []) == (positions, reading.kafka.written)


def at_the_third_look(reading: InMemory, happens: Callable[[], object]) -> None:
    """While a hand-over waits, let something happen that ends the wait."""
    owned, looks = reading.intake.owned, list[Collection[Grant]]()

    def look(grants: Collection[Grant]) -> Ownership:
        looks.append(grants)
        if len(looks) == 3:
            happens()
        return owned(grants)

    reading.intake.owned = look


def test_a_hand_over_waits_for_what_is_in_hand() -> None:
    """The application is told of it afterwards: should it tell others, two would work on that."""
    reading = InMemory()
    grant = reading.grant(1, 5)
    reading.offer(5)
    reading.taken()
    at_the_third_look(reading, reading.intake.hand.come_back)
    positions = reading.handover.on_revoked((grant,))

    assert ([True], {queue(): 6}) == (reading.revoked, positions)


def test_a_hand_over_does_not_wait_for_what_is_lost() -> None:
    """Others have it anyway, and there is no position to hand on."""
    reading = InMemory()
    grant = reading.grant(1, 5)
    reading.offer(5)
    reading.taken()
    at_the_third_look(reading, reading.owned.clear)
    positions = reading.handover.on_revoked((grant,))

    assert ([False], {}) == (reading.revoked, positions)


def test_what_is_committed_when_it_is_told_of_the_end_counts_after_the_loop() -> None:
    """It is the last time for that, also while the block is left; the queue is its own still."""
    reading = InMemory(manual=True)
    grant = reading.grant(1, 5)
    reading.offer(5)
    message = reading.taken()
    counted: list[bool] = []
    reading.tells_revoked = lambda: counted.append(reading.parts.commit([message]))
    reading.intake.give_up()
    positions = reading.handover.on_revoked((grant,))

    assert ([True], {queue(): 6}, [6]) == (counted, positions, reading.committed())
    assert not reading.parts.commit([message]), "it is others' now"


@pytest.mark.parametrize("manual", [True, False])
def test_what_is_in_hand_of_one_queue_keeps_no_other_from_being_handed_over(manual: bool) -> None:  # noqa: FBT001 - by pytest
    """Its heir would wait for what is none of its own; a commit by hand is awaited, too."""
    reading, unbegun = InMemory(manual=manual), Grant(queue(2), 1)
    busy, idle = reading.grant(1, 5), Grant(queue(1), 1, position=7)
    reading.owned |= {idle, unbegun}
    reading.handover.on_assigned((idle, unbegun))
    reading.offer(5)
    message = reading.taken()
    first: list[Positions] = []

    def finish(positions: Positions) -> None:
        first.append(positions)
        assert [False] == reading.revoked
        if manual:
            assert reading.parts.commit([message])
        reading.intake.hand.come_back()

    positions = reading.handover.on_revoked((busy, idle, unbegun), finish)

    assert [{queue(1): 7, queue(2): None}] == first
    assert ({queue(0): 6, queue(1): 7}, {}) == (positions, reading.intake.readings)
    assert [False, True] == reading.revoked


@pytest.mark.parametrize(("finish_by", "waits"), [(None, 1.4), (0.8, 0.7)])
def test_a_commit_by_hand_is_waited_for_no_longer_than_the_queues_are_its_own(
    monkeypatch: pytest.MonkeyPatch, finish_by: float | None, waits: float
) -> None:
    """Half of two seconds, from when it is told, is too long; and one may be all it is granted."""
    clock = itertools.count()
    monkeypatch.setattr("trimtab.consuming.handover.now_s", lambda: next(clock) / 50)
    reading = InMemory(manual=True)
    reading.finish_by = finish_by
    grant = reading.grant(1, 5)
    reading.offer(5)
    reading.taken()
    reading.take(0.0)
    reading.tells_revoked = lambda: [next(clock) for _ in range(round(waits / 1.4 * 50))]
    positions = reading.handover.on_revoked((grant,))

    assert {queue(): 5} == positions
    assert waits < next(clock) / 50 < waits + 0.2


def test_a_position_that_kafka_does_not_have_is_not_committed_while_a_hand_over_waits() -> None:
    """The upkeep commits in its turns; the messages of the new topic before it would be skipped."""
    reading = InMemory()
    grant = reading.grant(1, 5_000)
    reading.offer(5_000, 5_001)
    reading.taken()
    reading.upkeep.commit()
    reading.taken()
    reading.kafka.astray[queue()] = None

    def commit() -> None:
        reading.upkeep.commit()
        reading.intake.hand.come_back()

    at_the_third_look(reading, commit)
    reading.handover.on_revoked((grant,))

    assert [5_000] == reading.committed()


class Behind(FairLock):
    """One for which another thread waits already: it has its turn first."""

    def __init__(self, other: Callable[[], object]) -> None:
        super().__init__()
        self._others = [other]

    def __enter__(self) -> None:
        while self._others:
            self._others.pop()()
        super().__enter__()


def test_what_is_given_up_before_it_is_begun_is_not_begun() -> None:
    """The upkeep has seen it, and waits for its turn behind the hand-over."""
    reading, grant = InMemory(), Grant(queue(), 1)
    reading.owned.add(grant)
    reading.handover.on_assigned((grant,))
    reading.intake.turn = Behind(lambda: reading.handover.on_revoked((grant,)))
    reading.upkeep.look(hurried=True)

    assert ([True], {}, {}) == (reading.revoked, reading.intake.readings, reading.kafka.begun)
