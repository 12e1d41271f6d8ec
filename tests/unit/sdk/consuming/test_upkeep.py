"""What the upkeep sees: a loop that does not come back, and a log that is shorter than it was."""

import time

import pytest

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory


def stuck(reading: InMemory) -> bool:
    """Whether the loop is found to be stuck."""
    reading.upkeep.look()
    time.sleep(0.1)
    reading.upkeep.look()
    return bool(reading.stuck)


def test_a_loop_that_was_told_to_stop_may_be_stuck() -> None:
    """Its member beats on, and nobody else would get its queues."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0)
    reading.taken()
    reading.intake.stop()

    assert stuck(reading)


def test_who_has_left_its_loop_is_not_stuck() -> None:
    """It works on nothing."""
    reading = InMemory()
    reading.intake.give_up()

    assert not stuck(reading)


@pytest.mark.parametrize(
    ("length", "said"),
    [(100, "offset 5000 is beyond the end, 100: reading"), (9_000, "has deleted offset 5000, re")],
)
def test_it_says_why_it_reads_on_elsewhere(
    caplog: pytest.LogCaptureFixture, length: int, said: str
) -> None:
    """A log that was cut is another trouble than one whose old messages are gone."""
    reading = InMemory()
    reading.kafka.length = length
    reading.grant(1, 5_000)
    reading.kafka.astray.add(queue())
    reading.upkeep.look()

    assert [True] == [said in it for it in caplog.messages]
