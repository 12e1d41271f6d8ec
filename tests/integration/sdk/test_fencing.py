"""`fencing="transactional"` on a real broker: what Kafka takes, and of whom."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Message

from console.embedded.broker import EmbeddedKafka
from tests.builders.application import until
from tests.integration.readings import Effects, Reading, commit_at, effects_of
from tests.integration.topics import create_topic
from trimtab import CommitError, ConfigurationError, Grant, QueueRef

pytestmark = pytest.mark.kafka


@pytest.fixture
def effects(kafka: EmbeddedKafka, work: str) -> Iterator[Effects]:
    """A topic to write to, and what it has."""
    with effects_of(kafka.bootstrap_servers, work) as effects:
        yield effects


def has(effects: Effects, *wanted: bytes) -> bool:
    """Wait for so many, and say whether they are these, and no others."""
    until(lambda: len(effects.found()) >= len(wanted))
    return list(wanted) == effects.found(0.2)


def fenced(kafka: EmbeddedKafka, group: str) -> Reading:
    """A consumer that has Kafka fence it; commits are asked for by the tests."""
    return Reading(
        kafka.bootstrap_servers,
        group,
        fencing="transactional",
        commit_interval="1m",
        recommit_interval="1h",
    )


def sends(reading: Reading, message: Message, topic: str, value: bytes) -> bool:
    """Have it write something as an effect of a message."""
    return reading.parts.send(message, {"topic": topic, "value": value, "key": None})


def test_kafka_refuses_who_had_the_queue_before(
    kafka: EmbeddedKafka, work: str, effects: Effects
) -> None:
    """A zombie that takes itself for the owner: neither its commit nor what it sent counts."""
    queue = QueueRef(work, "", 0)
    with fenced(kafka, work).running() as zombie, fenced(kafka, work).running() as heir:
        zombie.assign(Grant(queue, 1))
        (first,) = zombie.take(1)
        heir.assign(Grant(queue, 2))
        (again,) = heir.take(1)
        assert sends(heir, again, effects.topic, b"of the heir")
        heir.come_back()
        assert heir.commit()
        assert sends(zombie, first, effects.topic, b"of the zombie")
        zombie.come_back()
        with pytest.raises(CommitError):
            zombie.commit()
        # It may even register again, and shut the owner out for a moment.
        until(lambda: any(_is_fenced(it) for it in zombie.errors))
        assert [(0, 1)] == heir.read(1)
        until(lambda: _is_committed(heir, []))

        assert 0 == first.offset() == again.offset()
        assert zombie.poll(0.2) is None
        assert 2 == heir.committed(queue)
        assert has(effects, b"of the heir")


def _is_fenced(error: Exception) -> bool:
    code = KafkaError._FENCED  # noqa: SLF001 - its public name
    return isinstance(error, KafkaException) and error.args[0].code() == code


def _is_committed(reading: Reading, told: list[str]) -> bool:
    try:
        return reading.commit()
    except CommitError as error:
        told.append(str(error))
        return False


def test_a_commit_and_its_effects_are_one(
    kafka: EmbeddedKafka, work: str, effects: Effects
) -> None:
    """Nothing is written of what is in hand; an heir begins after the last effect."""
    queue = QueueRef(work, "", 0)
    with fenced(kafka, work).running() as first, fenced(kafka, work).running() as heir:
        first.assign(Grant(queue, 1))
        done, in_hand = first.take(1), first.take(1)
        assert sends(first, done[0], effects.topic, b"0")
        assert sends(first, in_hand[0], effects.topic, b"1")
        assert first.commit()
        assert has(effects, b"0")

        first.come_back()
        assert {} == first.handover.on_revoked((Grant(queue, 1),))
        assert not sends(first, in_hand[0], effects.topic, b"too late")
        with pytest.raises(
            ConfigurationError, match=r"^send: on_delivery is not an option of send"
        ):
            first.parts.send(done[0], {"value": None, "key": None, "on_delivery": print})
        heir.assign(Grant(queue, 2))
        assert [(0, 2)] == heir.read(1)
        assert has(effects, b"0", b"1")


def test_what_is_read_again_has_its_effects_once(
    kafka: EmbeddedKafka, work: str, effects: Effects
) -> None:
    """After a seek what was not committed yet is forgotten."""
    queue = QueueRef(work, "", 0)
    with fenced(kafka, work).running() as reading:
        reading.assign(Grant(queue, 1))
        for message in reading.take(3):
            assert sends(reading, message, effects.topic, b"%d" % (message.offset() or 0))
        reading.come_back()
        reading.parts.seek(queue, 1)
        for message in reading.take(2):
            assert sends(reading, message, effects.topic, b"%d again" % (message.offset() or 0))
        reading.come_back()
        assert reading.commit()

        assert has(effects, b"0", b"1 again", b"2 again")
        assert 3 == reading.committed(queue)


def test_what_is_read_where_a_log_was_cut_has_its_effects(
    kafka: EmbeddedKafka, work: str, effects: Effects
) -> None:
    """Kafka has a position beyond its end; producers have written other messages before that."""
    queue = QueueRef(work, "", 0)
    commit_at(kafka.bootstrap_servers, work, queue, 1_000)
    with fenced(kafka, work).running() as reading:
        reading.assign(Grant(queue, 1))
        for message in reading.take(3):
            assert sends(reading, message, effects.topic, b"%d" % (message.offset() or 0))
        reading.come_back()
        until(lambda: _is_committed(reading, []) and reading.committed(queue) == 3)

        assert has(effects, b"0", b"1", b"2")


def test_a_topic_that_is_not_there_is_named(kafka: EmbeddedKafka, work: str) -> None:
    """Nothing of its queue is committed meanwhile; and what comes then has that reason as well."""
    with fenced(kafka, work).running() as reading:
        reading.assign(Grant(QueueRef(work, "", 0), 1))
        (message,) = reading.take(1)
        assert sends(reading, message, f"{work}-missing", b"0")
        reading.come_back()
        for _ in range(2):
            with pytest.raises(CommitError, match=f"nothing goes to topic {work}-missing"):
                reading.commit()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [({"key": None}, "INVALID_RECORD|Broker failed to validate"), ({"partition": 7}, "partition")],
    ids=["no key", "no such partition"],
)
def test_what_kafka_never_takes_is_named_and_keeps_back_nothing_before_it(
    kafka: EmbeddedKafka, work: str, effects: Effects, wrong: dict[str, Any], why: str
) -> None:
    """What it goes with is known, and so is what is to be skipped."""
    create_topic(kafka.bootstrap_servers, f"{work}-table", 1, cleanup_policy="compact")
    with fenced(kafka, work).running() as reading:
        reading.assign(Grant(QueueRef(work, "", 0), 1))
        for message in reading.take(3):
            assert sends(reading, message, effects.topic, b"%d" % (message.offset() or 0))
            if message.offset() == 1:
                more = {"topic": f"{work}-table", "value": b"1", "key": b"k", **wrong}
                assert reading.parts.send(message, more)
        reading.come_back()
        told = list[str]()

        def is_before_it() -> bool:
            try:
                reading.commit()
            except CommitError as error:
                told.append(str(error))
            return reading.committed(QueueRef(work, "", 0)) == 1

        until(is_before_it)

        assert has(effects, b"0")
        assert re.search(rf"{work}/0.*: offset 1, to topic {work}-table: .*({why})", told[-1])


def test_what_is_too_much_together_is_taken_in_smaller_batches(
    kafka: EmbeddedKafka, work: str, effects: Effects
) -> None:
    """The client puts into one batch what a topic takes record by record."""
    small = f"{work}-small"
    create_topic(kafka.bootstrap_servers, small, 1, max_message_bytes="20000")
    with fenced(kafka, work).running() as reading:
        reading.assign(Grant(QueueRef(work, "", 0), 1))
        told = list[list[str]]()
        for number in (1, 2):
            (message,) = reading.take(1)
            for _ in range(200):
                assert sends(reading, message, small, bytes(1_000))
            assert sends(reading, message, effects.topic, b"%d" % number)
            reading.come_back()
            told.append([])
            until(lambda: _is_committed(reading, told[-1]))

        assert has(effects, b"1", b"2")
        assert [] == told[1]
        assert not [it for it in told[0] if "does not take" in it]
