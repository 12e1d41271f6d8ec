"""What the upkeep sees: a log that is shorter than it was, and what Kafka does not answer."""

import threading
import time
from dataclasses import replace
from unittest.mock import Mock

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.builders.application import until
from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import CallbackError, CommitError
from trimtab.consuming.contract import RefusedError
from trimtab.protocol import QueueRef


@pytest.mark.parametrize(
    ("earliest", "length", "cut", "said"),
    [
        (0, 100, None, "offset 5000 is beyond the end, 100: reading goes on at 0: was the log cut"),
        (0, 9_000, None, "offset 5000 was not there: reading goes on at 0: was the log cut, or"),
        (6_000, 9_000, None, "Kafka has deleted offset 5000, reading goes on at 6000"),
        (0, 9_000, 90, "the log was cut at offset 90, 5000 is not there: reading goes on at 90"),
    ],
)
def test_it_says_why_it_reads_on_elsewhere(
    caplog: pytest.LogCaptureFixture, earliest: int, length: int, cut: int | None, said: str
) -> None:
    """A log that was cut is another trouble than one whose old messages are gone."""
    reading = InMemory()
    reading.kafka.earliest, reading.kafka.length = earliest, length
    reading.grant(1, 5_000)
    reading.kafka.astray[queue()] = cut
    reading.upkeep.look()

    assert [True] == [it.startswith(f"orders/0: {said}") for it in caplog.messages]


def test_it_says_so_of_a_log_that_was_cut_while_messages_wait(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Those that wait may be there still; where reading stopped, nothing is."""
    reading = InMemory()
    reading.grant(1, 100)
    reading.offer(*range(100, 201))
    reading.taken()
    reading.kafka.length = 150
    reading.kafka.astray[queue()] = None
    reading.upkeep.look()

    (said,) = caplog.messages
    assert said.startswith("orders/0: offset 201 is beyond the end, 150: reading goes on at 0: ")


def before_a_gap() -> InMemory:
    """Five messages were fetched, and Kafka has deleted them and what follows, up to 100."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(5))
    reading.taken()
    reading.kafka.astray[queue()] = None
    reading.kafka.earliest = 100
    reading.upkeep.look()
    return reading


def test_what_was_fetched_before_kafka_deleted_it_is_handed_out() -> None:
    """It is nowhere else any more; only behind it something is missing."""
    reading = before_a_gap()
    rest = [reading.taken().offset() for _ in range(4)]
    reading.upkeep.commit()  # as for any other queue
    reading.take(0.0)
    time.sleep(0.15)
    reading.upkeep.look()

    assert ([1, 2, 3, 4], [4], 100) == (rest, reading.committed(), reading.kafka.begun[queue()])
    assert 0.0 == reading.intake.due  # nothing is handed out by what was there before


def test_who_has_gone_elsewhere_is_not_brought_to_what_kafka_has_next() -> None:
    """Reading would jump back, and what was read since would be handed out again."""
    reading = before_a_gap()
    reading.parts.seek(queue(), 800)
    reading.offer(800)
    there = reading.taken().offset()
    reading.take(0.0)
    time.sleep(0.15)
    reading.upkeep.look()

    assert (800, 800) == (there, reading.kafka.begun[queue()])


def test_what_is_refused_is_named_as_it_is_subscribed_now() -> None:
    """Some clients do not say which topic is not there."""
    reading = InMemory()
    reading.upkeep.want(["payments"])
    lack = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
    reading.kafka.refusal = RefusedError(lack)
    reading.grant(1)
    reading.offer(0, 1)
    reading.taken()
    reading.taken()
    with pytest.raises(CommitError, match="read of payments"):
        reading.parts.commit(None)


def test_who_leaves_does_not_wait_for_a_callback_that_hangs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is told after that, though its client is closed by then; the log says where it is."""
    monkeypatch.setattr("trimtab.consuming.upkeep._FAREWELL_S", 0.1)
    reading, told, goes_on = InMemory(), threading.Event(), threading.Event()
    errors: list[Exception] = []

    def hang(error: Exception) -> None:
        errors.append(error)
        told.set()
        goes_on.wait(20.0)

    upkeep = reading.upkeep
    monkeypatch.setattr(upkeep, "_told_to", replace(upkeep._told_to, error=hang))  # noqa: SLF001 - its own
    reading.kafka.troubles += [ArithmeticError("first"), ArithmeticError("second")]
    upkeep.start()
    assert told.wait(20.0)
    reading.parts.close()
    before = list(caplog.messages)
    goes_on.set()
    upkeep.finish()

    (said,) = before
    assert ["first"] == list(map(str, errors))
    assert said.startswith("left while on_error hangs (hang, ")


def test_what_a_callback_of_the_client_raises_is_told_once_and_whole(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With its cause, as every `CallbackError`; each look may meet it."""
    reading, looks = InMemory(), list[int]()

    def leave() -> None:
        looks.append(1)
        raise SystemExit(3)

    monkeypatch.setattr(reading.kafka, "look", leave)
    monkeypatch.setattr("trimtab.consuming.upkeep._ROUND_S", 0.005)
    reading.upkeep.start()
    until(lambda: len(looks) > 2)
    reading.upkeep.finish()

    (told,) = reading.errors
    assert (CallbackError, SystemExit) == (type(told), type(told.__cause__))
    assert [SystemExit] == [it.exc_info[0] for it in caplog.records if it.exc_info]


def test_what_has_passed_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """With patterns, topics come and go for years, and each of them may be missing for a moment."""
    reading, clock = InMemory(), [1_000.0]
    monkeypatch.setattr("trimtab.consuming.upkeep.now_s", lambda: clock[0])
    for number in range(50):
        lack = KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
        reading.kafka.troubles.append(RefusedError(lack, topics=[f"orders-{number}"]))
        reading.upkeep.look()
        clock[0] += 60.0

    assert [] == reading.errors
    assert 3 > len(reading.upkeep._brief)  # noqa: SLF001 - it is told nobody, and only kept


@pytest.mark.parametrize("manual", [True, False])
def test_in_a_topic_that_was_made_anew_it_counts_from_the_beginning(manual: bool) -> None:  # noqa: FBT001 - by pytest
    """What was done, in hand and committed in the old one says nothing of where it is in this."""
    reading = InMemory(manual=manual)
    grant = reading.grant(1, 100)
    reading.offer(*range(100, 110))
    old = [reading.taken() for _ in range(8)]
    assert reading.parts.commit(old[:-1])
    reading.kafka.length, reading.kafka.written = 50, []  # Kafka forgets what was committed
    reading.kafka.astray[queue()] = None
    reading.upkeep.look()
    counts = reading.parts.commit(old)
    reading.offer(*range(3))
    new = [reading.taken() for _ in range(3)]
    assert reading.parts.commit(new[:2])
    positions = reading.intake.positions([reading.intake.readings[queue()]])

    assert not counts
    assert ([2], {grant: 2}) == (reading.committed(), positions)


def test_it_asks_again_where_the_log_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka may not answer the second question of two; the queue is read on all the same."""
    reading = InMemory()
    reading.kafka.length = 100
    reading.grant(1, 5_000)
    reading.kafka.astray[queue()] = None
    with monkeypatch.context() as asked:
        silence = Mock(side_effect=RefusedError(KafkaException("silent")))
        asked.setattr(reading.intake.offsets, "latest", silence)
        reading.upkeep.look()
    begun: dict[QueueRef, int] = {}
    monkeypatch.setattr(reading.kafka, "begin", begun.update)
    time.sleep(0.15)
    reading.upkeep.look()

    assert {queue(): 0} == begun
