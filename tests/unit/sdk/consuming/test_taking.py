"""What the application gets again: what it was left with, and nothing else.

A loop that is left does not come back, so nobody has said that its last message is done.
"""

from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import Any, cast

import pytest

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory, Said
from trimtab import Grant
from trimtab.consuming.reading import Reading
from trimtab.protocol import QueueRef


@pytest.fixture
def reading() -> InMemory:
    """Ten messages wait."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(10))
    return reading


def in_a_loop(reading: InMemory, count: int) -> list[int]:
    """Take so many, and leave the loop in the midst of the last one."""
    return [it.offset() or 0 for it in islice(reading.taking.each(), count)]


def awaited(reading: InMemory, count: int) -> list[int]:
    """The same on an event loop, where what is at hand is taken without a thread."""
    taking, found = reading.taking, []
    taking.begin()
    for _ in range(count):
        taking.in_loop = False
        message = taking.at_hand() or taking.wait(1e12)
        assert message is not None
        taking.in_loop = True
        found.append(message.offset() or 0)
    return found


def polled(reading: InMemory) -> int:
    """Take one by itself."""
    reading.taking.poll()
    return reading.taken().offset() or 0


def in_batches(reading: InMemory, count: int) -> list[list[int]]:
    """Take so many batches of two."""
    reading.taking.begin()
    batches = [reading.taking.batch(2, 1.0) for _ in range(count)]
    reading.taking.in_loop = True
    return [[it.offset() or 0 for it in batch] for batch in batches]


@pytest.mark.parametrize("loop", [in_a_loop, awaited])
def test_the_next_loop_begins_with_what_one_was_left_with(
    reading: InMemory, loop: Callable[[InMemory, int], list[int]]
) -> None:
    """It was not finished; what came before it was."""
    assert [[0, 1, 2], [2, 3], [3]] == [loop(reading, count) for count in (3, 2, 1)]


def test_a_batch_comes_again_as_a_whole(reading: InMemory) -> None:
    """Whichever kind of loop is next."""
    first = in_batches(reading, 2)

    assert ([[0, 1], [2, 3]], [2, 3, 4]) == (first, in_a_loop(reading, 3))


@pytest.mark.parametrize("count", [1, 2])
def test_what_was_committed_does_not_come_again(count: int) -> None:
    """Whoever leaves a loop with a message that is finished says so."""
    reading = InMemory(manual=count == 1)
    reading.grant(1)
    reading.offer(*range(10))
    last = list(islice(reading.taking.each(), 3))[-1]
    reading.parts.commit([last])

    assert [3, 4] == in_a_loop(reading, 2)


def test_whoever_polls_has_finished_the_one_before(reading: InMemory) -> None:
    """It is all that a poll can say; also of one that a loop was left with."""
    found = [*in_a_loop(reading, 2), polled(reading), polled(reading), *in_a_loop(reading, 1)]

    assert [0, 1, 2, 3, 4] == found


def test_who_does_not_wait_gets_what_is_there(reading: InMemory) -> None:
    """A program with a loop of its own looks in now and then."""
    assert [0, 1, 9, None] == [polled_at_once(reading, count) for count in (1, 1, 8, 2)]


def polled_at_once(reading: InMemory, count: int) -> int | None:
    """The last of so many polls that do not wait."""
    found: list[int | None] = []
    for _ in range(count):
        reading.taking.poll()
        message = reading.take(0.0)
        found.append(None if message is None else message.offset())
    return found[-1]


def test_what_is_sought_back_is_read_again_whatever_was_committed() -> None:
    """Nobody has finished it this time."""
    reading = InMemory(manual=True)
    reading.grant(1)
    reading.offer(*range(5))
    reading.parts.commit(list(islice(reading.taking.each(), 5)))
    reading.parts.seek(queue(), 0)
    reading.offer(*range(5))

    assert [[0, 1], [1, 2, 3]] == [in_a_loop(reading, 2), in_a_loop(reading, 3)]


def test_a_loop_that_begins_twice_begins_with_it_too(reading: InMemory) -> None:
    """`aiter` of an asynchronous consumer is asked twice where a program keeps what it returns."""
    first = awaited(reading, 2)
    reading.taking.begin()

    assert ([0, 1], [1, 2]) == (first, awaited(reading, 2))


def test_what_is_taken_while_a_commit_looks_is_in_hand(
    reading: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The application takes no turn: it may go on between two looks."""
    loop = reading.taking.each()
    assert next(loop).offset() == 0
    other = Grant(queue(1), 1)
    reading.owned.add(other)
    reading.handover.begin({other: 7}, {other: 7})
    reading.intake.hand.messages[1:] = [cast("Any", Said(at, queue(1))) for at in (7, 8)]
    look = reading.intake.not_handed_out

    def goes_on(readings: Collection[Reading]) -> dict[QueueRef, int]:
        reading.intake.hand.at += 1
        return look(readings)

    monkeypatch.setattr(reading.intake, "not_handed_out", goes_on)
    found = reading.intake.positions(list(reading.intake.readings.values()))

    assert 7 == found[other]


@pytest.mark.parametrize("loop", [in_a_loop, awaited, in_batches])
def test_what_a_signal_handler_cost_is_read_again(
    loop: Callable[[InMemory, int], object],
) -> None:
    """It raises where the application waits: what has just come is lost with that."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(4))
    loop(reading, 2)
    reading.intake.positions(list(reading.intake.readings.values()))
    reading.offer(*range(4, 8))
    reading.kafka.interrupts = True
    with pytest.raises(InterruptedError):
        loop(reading, 9)
    reading.kafka.interrupts = False
    (position,) = reading.intake.positions([reading.intake.readings[queue()]]).values()
    reading.kafka.messages = []
    reading.offer(*range(position, 8))
    again = reading.taken().offset()

    assert (again, again) == (position, reading.kafka.begun[queue()])
    assert position <= 4


def test_a_stop_in_the_midst_of_a_look_is_not_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal handler may come there: for a second more would be handed out."""
    reading = InMemory()
    reading.grant(1)

    def stop() -> float:
        reading.intake.stop()
        return 1_000.0

    monkeypatch.setattr("trimtab.consuming.intake.now_s", stop)
    reading.intake.look()

    assert 0.0 == reading.intake.due


def test_a_hand_over_waits_for_what_was_sought_back() -> None:
    """Also where it had been committed once."""
    reading = InMemory()
    grant = reading.grant(1)
    reading.offer(*range(5))
    reading.parts.commit(list(islice(reading.taking.each(), 5)))
    reading.parts.seek(queue(), 2)
    reading.offer(2, 3)
    assert in_a_loop(reading, 1) == [2]
    is_in_hand = reading.intake.is_in_hand(reading.intake.readings[grant.queue])

    assert is_in_hand


def test_what_was_polled_is_done_when_it_is_polled_once_more() -> None:
    """So a loop around `poll` goes on until then, also after a stop; other loops come back."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0, 1, 2)
    polled(reading)
    in_hand = reading.taking.has_polled
    in_a_loop(reading, 1)
    in_loop = reading.taking.has_polled
    polled(reading)
    reading.intake.stop()
    stopped = reading.taking.has_polled
    reading.take(0.0)
    back = reading.taking.has_polled

    assert (True, False, True, False) == (in_hand, in_loop, stopped, back)


def test_what_was_polled_goes_to_others_when_the_block_is_left() -> None:
    """Nobody polls once more."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0)
    polled(reading)
    reading.intake.give_up()

    assert not reading.taking.has_polled


def test_a_client_is_asked_only_where_something_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """To say of thousands of queues where they are takes it longer than to read a message."""
    reading, asked = InMemory(), list[int]()
    grants = tuple(Grant(queue(it), 1, position=0) for it in range(1_000))
    reading.owned |= {*grants}
    reading.handover.on_assigned(grants)
    positions = reading.kafka.positions

    def counted(queues: Iterable[QueueRef]) -> dict[QueueRef, int]:
        asked.append(len(those := list(queues)))
        return positions(those)

    monkeypatch.setattr(reading.kafka, "positions", counted)
    reading.offer(0)
    reading.taken()
    reading.offer(1)
    reading.taken()

    assert [1] == asked
    assert 1 == reading.intake.readings[queue()].next
