"""What is in hand, and what may be committed of it."""

import pytest

from tests.builders.sessions import queue
from trimtab import Grant
from trimtab.reading import Reading, Readings

GRANT = Grant(queue(), 1)


def read(*offsets: int, start: int = 0) -> Readings:
    """Readings of one queue, of which these messages were handed out."""
    readings = Readings()
    readings.begin([Reading(GRANT, start, start)])
    (reading,) = readings.find([queue()])
    assert all(readings.take(reading, offset) for offset in offsets)
    return readings


def position(readings: Readings) -> int:
    """Where another reader would begin."""
    (found,) = readings.positions(readings.every()).values()
    return found


@pytest.mark.parametrize(
    ("done", "expected"),
    [([], 3), ([3], 4), ([4, 5], 3), ([5, 3], 4), ([3, 4, 5], 9), ([8], 3), ([3, 4, 5, 8], 9)],
)
def test_the_position_is_the_first_message_that_is_not_done(done: list[int], expected: int) -> None:
    """In whatever order they are done; what Kafka has not between them is nobody's work."""
    readings = read(3, 4, 5, 8, start=3)
    if expected == 9:
        done = [*done, 8]
    readings.done([(queue(), offset) for offset in done])

    assert expected == position(readings)


def test_a_message_is_handed_out_once() -> None:
    """What was fetched twice, or before the queue began, is not for the application."""
    (reading,) = read(3, start=3).find([queue()])

    assert [False, False, True] == [reading.take(offset) for offset in (2, 3, 4)]


def test_what_is_done_counts_once_and_only_in_hand() -> None:
    """Of a queue that was lost meanwhile nothing counts."""
    readings = read(0, 1)

    assert readings.done([(queue(), 0)])
    assert not readings.done([(queue(), 0)])
    assert not readings.done([(queue(), 1), (queue(1), 0)])
    readings.forget(readings.every())
    assert not readings.done([(queue(), 1)])


def test_a_queue_that_is_given_up_hands_out_nothing_and_waits_for_what_is_in_hand() -> None:
    """Whoever works on it is asked to finish."""
    readings = read(0)
    (ending,) = readings.end([GRANT])

    assert (True, [], False) == (readings.waiting, readings.find([queue()]), ending.take(1))
    assert [] == readings.end([GRANT])
    readings.all_done()
    assert (False, 1) == (readings.waiting, position(readings))


def test_another_grant_of_the_queue_is_not_given_up() -> None:
    """What was lost may have come back under another epoch before its loss is told."""
    assert [] == read().end([Grant(queue(), 2)])


def test_what_is_given_back_is_read_again_by_others() -> None:
    """And nothing more is handed out: the application is over."""
    readings = read(0, 1, 2)
    readings.done([(queue(), 0)])
    readings.give_back()
    (reading,) = readings.every()

    assert (1, False, False) == (position(readings), reading.in_hand, readings.take(reading, 1))


def test_what_kafka_has_is_not_committed_again() -> None:
    """Until something more is done."""
    readings = read(0)
    before = readings.uncommitted()
    readings.all_done()
    due = readings.uncommitted()
    (reading,) = due
    readings.committed({reading.grant: 1, Grant(queue(1), 1): 5})

    assert ([], 1, []) == (before, len(due), readings.uncommitted())


def test_a_position_that_was_handed_over_is_committed_soon() -> None:
    """It is not known whether the commit of the one who handed it over has arrived."""
    readings = Readings()
    readings.begin([Reading(Grant(queue(), 2, position=7), 7)])

    assert [7] == [it.position for it in readings.uncommitted()]


def test_what_was_forgotten_is_not_forgotten_twice() -> None:
    """The same queue may have come back meanwhile."""
    readings = read(0)
    old = readings.every()
    readings.forget(old)
    readings.begin([Reading(Grant(queue(), 2), 0)])
    readings.forget(old)

    assert 1 == len(readings.every())
