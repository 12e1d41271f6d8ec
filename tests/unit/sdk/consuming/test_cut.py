"""What is committed where a log was cut, or is another one: where it is read, as Kafka's own do."""

import re
from pathlib import Path

import confluent_kafka
import pytest
from confluent_kafka import KafkaError

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import Grant
from trimtab.consuming.contract import Ends
from trimtab.transports.confluent_said import cut_in


def at_a_thousand(*, manual: bool = False) -> tuple[InMemory, Grant]:
    """All is committed up to there."""
    reading = InMemory(manual=manual)
    grant = reading.grant(1, 998)
    reading.offer(998, 999)
    reading.parts.commit([reading.taken(), reading.taken()])
    reading.take(0.0)
    return reading, grant


def cut(reading: InMemory, length: int, at: int | None = None) -> None:
    """An election loses the end of the log: what is asked for next is not there.

    The client may know where that was.
    """
    reading.kafka.messages = []
    reading.kafka.astray[queue()] = at
    reading.kafka.length = length
    reading.upkeep.look()


def handle(reading: InMemory, count: int) -> None:
    """Take so many of the new log, and come back from the last."""
    reading.offer(*range(count))
    last = [reading.taken() for _ in range(count)][-1]
    reading.take(0.0)
    if reading.intake.manual:
        assert reading.parts.commit([last])


@pytest.mark.parametrize("manual", [True, False])
def test_whoever_begins_after_a_log_was_cut_begins_where_it_was_read(manual: bool) -> None:  # noqa: FBT001 - by pytest
    """At the old offset it would skip what producers have written since, up to there."""
    reading, grant = at_a_thousand(manual=manual)
    cut(reading, 500)
    handle(reading, 300)
    assert reading.upkeep.commit()
    positions = reading.handover.on_revoked((grant,))

    assert (300, {queue(): 300}) == (reading.committed()[-1], positions)


def test_what_was_on_its_way_when_the_log_was_cut_does_not_count() -> None:
    """Kafka may take it late, and its answer comes when others are known already."""
    reading, grant = at_a_thousand()
    cut(reading, 500)
    reading.intake.heard({grant: 1_000})
    handle(reading, 300)
    reading.upkeep.commit()
    reading.intake.heard({grant: 300})
    reading.parts.seek(queue(), 0)
    reading.upkeep.commit()

    assert 300 == reading.committed()[-1]


@pytest.mark.parametrize(("committed", "length"), [(1_000, 1_000), (400, 500)])
def test_what_the_log_still_has_is_not_committed_again(committed: int, length: int) -> None:
    """An application may seek beyond the end of a log that is as long as ever."""
    reading, grant = at_a_thousand()
    reading.kafka.written = [{queue(): committed}]
    reading.parts.seek(queue(), 5_000)
    cut(reading, length)
    handle(reading, 300)
    reading.upkeep.commit()
    positions = reading.handover.on_revoked((grant,))

    assert ([committed], {queue(): 300}) == (reading.committed(), positions)


def test_it_waits_until_it_is_known_where_a_cut_log_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nobody could tell which commits are the old log's."""
    reading, _ = at_a_thousand()
    with monkeypatch.context() as silent:
        silent.setattr(reading.intake.offsets, "latest", lambda _: Ends({}))
        cut(reading, 500)

    assert {queue(): None} == reading.kafka.astray


@pytest.mark.parametrize("manual", [True, False])
def test_where_it_is_known_where_a_log_was_cut_it_is_read_on_there(manual: bool) -> None:  # noqa: FBT001 - by pytest
    """Before that it is the same log. It may have grown beyond what was committed by then."""
    reading, grant = at_a_thousand(manual=manual)
    cut(reading, 1_005, 990)
    assert reading.upkeep.commit()
    at_once = reading.committed()[-1]
    reading.offer(*range(990, 1_005))
    first = reading.taken()
    reading.taken()
    reading.parts.commit([first])
    positions = reading.intake.positions([reading.intake.readings[queue()]])

    assert (990, 990, 990) == (reading.kafka.begun[queue()], at_once, first.offset())
    assert (991, {grant: 991}) == (reading.committed()[-1], positions)


def test_what_was_deleted_meanwhile_is_not_asked_for_where_a_log_was_cut() -> None:
    """It would be refused once more, and then nothing would be known."""
    reading, _ = at_a_thousand()
    reading.kafka.earliest = 995
    cut(reading, 1_005, 990)

    assert 995 == reading.kafka.begun[queue()]


@pytest.mark.parametrize(("at", "begun", "position"), [(3, 3, 1), (8, 5, 1), (1, 1, 1), (0, 0, 0)])
def test_what_is_before_the_cut_stays_in_hand_and_what_waits_comes_again(
    at: int, begun: int, position: int
) -> None:
    """The application works on 1 to 4, and others wait: those behind the cut are the old log's."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(10))
    reading.taken()
    reading.taking.batch(4, 0.0)
    cut(reading, 12, at)

    assert begun == reading.kafka.begun[queue()]
    assert [position] == [*reading.intake.positions([*reading.intake.readings.values()]).values()]


def test_a_lost_message_that_is_done_is_not_the_one_that_was_written_there_since() -> None:
    """Its commit would pass that one."""
    reading = InMemory(manual=True)
    reading.grant(1)
    reading.offer(*range(5))
    every = [reading.taken() for _ in range(5)]
    cut(reading, 12, 3)

    assert [True, False] == [reading.parts.commit([it]) for it in (every[2], every[4])]
    assert 3 == reading.committed()[-1]


TEXT = (
    "Partition log truncation detected at offset 1000 (leader epoch 3): broker end offset is 990 "
    "(offset leader epoch 2). Reset to INVALID.: Local: Partition log truncation detected"
)
NO_EPOCH = (
    "No epoch found less or equal to offset 1000 (leader epoch 3): broker end offset is -1 (offset "
    "leader epoch -1). Reset using configured policy.: Local: Partition log truncation detected"
)


ANEW = TEXT.replace("epoch 2", "epoch 0")


@pytest.mark.parametrize(
    ("text", "at"), [(TEXT, 990), (NO_EPOCH, None), (ANEW, None), ("out of range", None)]
)
def test_librdkafka_says_where_a_log_was_cut(text: str, at: int | None) -> None:
    """In the words of an error alone; in the first epoch it may be another topic."""
    assert at == cut_in(KafkaError(KafkaError._AUTO_OFFSET_RESET, text))  # noqa: SLF001 - its public name


def test_those_are_the_words_of_the_librdkafka_that_is_here() -> None:
    """Otherwise nobody would notice that they have changed: it would be read from the earliest."""
    # Beside a wheel for Linux; elsewhere there may be none to look at.
    libraries = Path(confluent_kafka.__file__).parents[1].glob("confluent_kafka.libs/librdkafka*")
    words = rb"log truncation detected at %s: broker end offset is %\w+ \(offset leader epoch %d\)"

    assert all(re.search(words, it.read_bytes()) for it in libraries)


def test_a_hand_over_gives_where_it_is_read_in_a_log_that_was_cut() -> None:
    """Nothing of what is read there is handed out yet, wherever that begins."""
    reading, grant = at_a_thousand(manual=True)
    reading.kafka.earliest = 100
    cut(reading, 500)

    assert {queue(): 100} == reading.handover.on_revoked((grant,))
