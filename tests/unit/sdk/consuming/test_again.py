"""What comes again: where the application has gone back to, or left a loop with something in hand.

Each message comes once more and not twice, in order, and its effects are those of the last time.
"""

from itertools import islice

import pytest

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab.consuming.sends import Send, Sends


def loop(reading: InMemory, count: int) -> list[int]:
    """Take so many, and leave the loop in the midst of the last one."""
    return [it.offset() or 0 for it in islice(reading.taking.each(), count)]


def a_reading(*, manual: bool = False, first: int = 0) -> InMemory:
    """Ten messages wait."""
    reading = InMemory(manual=manual)
    reading.grant(1, first)
    reading.offer(*range(first, first + 10))
    return reading


def test_effects_are_forgotten_of_what_a_loop_was_left_with() -> None:
    """It is handed out again, and has them again: both would be written."""
    reading, sends = a_reading(), Sends()
    reading.intake.hands_out_again = sends.read_again
    (grant,) = reading.owned
    loop(reading, 3)
    for at in range(3):
        assert sends.add(grant, Send(at, {}))
    loop(reading, 1)
    assert sends.add(grant, Send(2, {"again": 1}))
    _, effects, _ = sends.together(lambda: {grant: 3})

    assert [(0, {}), (1, {}), (2, {"again": 1})] == effects[grant]


@pytest.mark.parametrize("again", [3, 9])
def test_what_was_committed_stays_so_when_less_is_committed_after_it(again: int) -> None:
    """A handler may commit its batch, and then one message of that as well."""
    reading = a_reading()
    batch = reading.taking.batch(10, 1.0)
    reading.taking.in_loop = True
    assert reading.parts.commit(batch)
    assert reading.parts.commit([batch[again]])
    is_in_hand = reading.intake.is_in_hand(reading.intake.readings[queue()])
    reading.offer(10, 11)

    assert not is_in_hand
    assert [10, 11] == loop(reading, 2)


def after_an_interruption(reading: InMemory, first: int) -> list[int]:
    """A signal handler raises when ten messages are done; it goes on with the next one, from here.

    Of each that is done then there are effects.
    """
    (grant,), sends = reading.owned, Sends()
    reading.intake.hands_out_again = sends.read_again
    reading.kafka.interrupts = True

    def work() -> None:
        for it in reading.taking.each():
            assert sends.add(grant, Send(it.offset() or 0, {}))
            reading.offer(10)

    with pytest.raises(InterruptedError):
        work()
    reading.kafka.interrupts, reading.kafka.messages = False, []
    reading.offer(*range(first, 11))
    assert [first] == loop(reading, 1)
    _, effects, _ = sends.together(lambda: {grant: 99})
    return [it.offset for it in effects[grant]]


def test_effects_stay_of_what_is_done_when_a_signal_handler_costs_the_next() -> None:
    """Only that comes again."""
    reading = a_reading()
    reading.intake.fetch(0.0)

    assert [*range(10)] == after_an_interruption(reading, 10)


def test_effects_are_forgotten_of_what_comes_again_with_what_a_signal_handler_cost() -> None:
    """It had waited for a batch then, and was taken one by one."""
    reading = a_reading()
    reading.intake.collect(10, 0.0)
    reading.kafka.interrupts = True
    with pytest.raises(InterruptedError):
        reading.intake.collect(99, 0.0)

    assert [] == after_an_interruption(reading, 0)


def test_effects_are_forgotten_of_what_was_sought_back_while_it_was_in_hand() -> None:
    """A handler may send for its message after it has gone back to one before."""
    reading, sends = a_reading(), Sends()
    reading.intake.hands_out_again = sends.read_again
    (grant,) = reading.owned
    loop(reading, 5)
    reading.parts.seek(queue(), 3)
    assert sends.add(grant, Send(4, {}))
    reading.kafka.messages = []
    reading.offer(*range(3, 10))
    loop(reading, 2)
    _, effects, _ = sends.together(lambda: {grant: 5})

    assert [] == effects[grant]


def test_the_last_place_that_was_sought_counts() -> None:
    """What is in hand is before it: nothing reads it again, so it waits."""
    reading = a_reading()
    loop(reading, 5)
    reading.parts.seek(queue(), 3)
    reading.parts.seek(queue(), 8)
    reading.kafka.messages = []
    reading.offer(8, 9)

    assert [4, 8, 9] == loop(reading, 3)


@pytest.mark.parametrize("back", [4, 2])
def test_what_is_sought_while_it_is_in_hand_comes_again_once(back: int) -> None:
    """The loop is left with it: a place further back is before it, and both are read again."""
    reading = a_reading()
    loop(reading, 5)
    reading.parts.seek(queue(), back)
    reading.kafka.messages = []
    reading.offer(*range(back, 10))

    assert [*range(back, 10)] == loop(reading, 10 - back)


def test_what_is_paused_while_it_is_in_hand_waits_until_that_is_over() -> None:
    """A loop that is left with it, and begun anew, would fail with it again and again."""
    reading = a_reading()
    loop(reading, 3)
    reading.parts.set_paused([queue()], paused=True)
    reading.kafka.messages = []
    reading.taking.begin()
    nothing = reading.take(0.05)
    begun = reading.kafka.begun[queue()]
    reading.parts.set_paused([queue()], paused=False)
    reading.offer(2, 3)

    assert (None, 2) == (nothing, begun)
    assert [2, 3] == loop(reading, 2)


def test_a_pause_does_not_forget_where_the_application_went_back_to() -> None:
    """A commit, or a look at the lag, between the two notes how far it has come."""
    reading = a_reading(manual=True, first=100)
    messages = [*islice(reading.taking.each(), 10)]
    assert reading.parts.commit(messages[:5])
    reading.kafka.reached.clear()
    reading.parts.seek(queue(), 105)
    reading.parts.lag()
    reading.parts.set_paused([queue()], paused=True)
    reading.parts.set_paused([queue()], paused=False)

    assert 105 == reading.kafka.begun[queue()]
