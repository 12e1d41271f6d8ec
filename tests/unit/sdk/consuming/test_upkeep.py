"""What the upkeep sees: a loop that does not come back, and a log that is shorter than it was."""

import time
from unittest.mock import Mock

import pytest
from confluent_kafka import KafkaException

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab.consuming.contract import RefusedError
from trimtab.consuming.taking import Taking
from trimtab.protocol import QueueRef


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


def test_what_is_left_of_a_lost_queue_may_be_stuck() -> None:
    """Its member has other queues, and nobody else would get these."""
    reading = InMemory()
    grant = reading.grant(1)
    reading.offer(0)
    reading.taken()
    reading.lose(grant)
    reading.intake.stop()

    assert stuck(reading)


def test_a_loop_that_has_ended_is_not_stuck() -> None:
    """Its block may work on: close a file, write a report."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0, 1)
    reading.taken()
    reading.intake.stop()
    reading.taking = Taking(reading.intake, lambda: reading.intake.over)

    assert reading.take() is None
    assert not stuck(reading)


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


def test_it_asks_again_where_the_log_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka may not answer the second question of two; the queue is read on all the same."""
    reading = InMemory()
    reading.kafka.length = 100
    reading.grant(1, 5_000)
    reading.kafka.astray.add(queue())
    with monkeypatch.context() as asked:
        silence = Mock(side_effect=RefusedError(KafkaException("silent")))
        asked.setattr(reading.intake.offsets, "latest", silence)
        reading.upkeep.look()
    begun: dict[QueueRef, int] = {}
    monkeypatch.setattr(reading.kafka, "begin", begun.update)
    time.sleep(0.15)
    reading.upkeep.look()

    assert {queue(): 0} == begun
