"""What counts of a message, when its queue was lost, came back, or is not owned by the clock."""

import time

import pytest
from confluent_kafka import KafkaException

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import CommitError, ConfigurationError, Grant
from trimtab.consuming.contract import RefusedError


def test_a_commit_by_hand_says_which_messages() -> None:
    """The idiom of other clients, a bare `commit`, would commit nothing for ever."""
    reading = InMemory(manual=True)
    reading.grant(1)
    reading.offer(0, 1)
    reading.taken()

    with pytest.raises(ConfigurationError, match=r'^commit: with commit="manual" say which'):
        reading.parts.commit(None)
    assert reading.parts.commit([reading.taken()])
    assert [2] == reading.committed()


@pytest.mark.parametrize("manual", [True, False])
def test_what_was_lost_by_the_clock_does_not_count(manual: bool) -> None:  # noqa: FBT001 - by pytest
    """After a freeze its session is over, though its thread has not said so yet."""
    reading = InMemory(manual=manual)
    reading.grant(1)
    reading.offer(5, 6)
    first = reading.taken()
    reading.taken()
    reading.owned.clear()

    assert not reading.parts.commit([first])
    assert manual or not reading.parts.commit(None)
    assert [] == reading.committed()


@pytest.mark.parametrize("taken", [1, 0])
def test_what_was_lost_is_not_handed_out_before_that_is_told(taken: int) -> None:
    """Its callbacks wait for each other, and the application's may be slow: the client reads on."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(taken))
    for _ in range(taken):
        reading.taken()
    reading.owned.clear()
    reading.intake.due = 0.0  # as after a freeze
    for offset in range(2, 10, 2):
        reading.offer(offset, offset + 1)
        assert reading.take(0.02) is None


def test_what_a_release_has_committed_counts() -> None:
    """A commit may wait for its turn, while the hand-over that it lets go on writes the same."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.offer(0)
    message = reading.taken()
    with reading.intake.turn:
        counted, complete = reading.intake.done([message])
    positions = reading.handover.on_revoked((grant,))
    reading.owned.clear()

    assert ({queue(): 1}, [1]) == (positions, reading.committed())
    assert complete
    assert reading.upkeep.commit(counted)


@pytest.mark.parametrize("position", [0, 50], ids=["where it was", "further on"])
def test_a_message_keeps_the_token_it_came_under(position: int) -> None:
    """Others had its queue meanwhile, so neither an effect nor a commit of it counts."""
    reading = InMemory(manual=True)
    first = reading.grant(1)
    reading.offer(5)
    message = reading.taken()
    assert 1 == reading.parts.token(message)
    reading.lose(first)
    reading.grant(3, position)

    with pytest.raises(KeyError):
        reading.parts.token(message)
    assert not reading.parts.commit([message])
    assert [] == reading.committed()


def test_what_is_lost_has_no_token_before_that_is_told() -> None:
    """Another callback may run for a minute, and others have the queue meanwhile."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(5)
    message = reading.taken()
    reading.owned.clear()

    with pytest.raises(KeyError):
        reading.parts.token(message)


def test_a_message_that_comes_again_has_the_new_token() -> None:
    """From then on it is worked on under that."""
    reading = InMemory()
    reading.lose(reading.grant(1))
    reading.grant(3, 5)
    reading.offer(5)

    assert 3 == reading.parts.token(reading.taken())


def test_what_was_sought_has_the_token() -> None:
    """It is read under the same grant, though before where that began."""
    reading = InMemory(manual=True)
    reading.grant(1, 50)
    reading.parts.seek(queue(), 7)
    reading.offer(7)

    assert 1 == reading.parts.token(reading.taken())


def test_a_commit_says_that_others_subscribe() -> None:
    """What Kafka answers to that, an unknown member, helps nobody."""
    reading = InMemory(manual=True)
    reading.grant(1)
    reading.offer(0)
    reading.kafka.refusal = RefusedError(KafkaException("UNKNOWN_MEMBER_ID"), is_subscribed=True)

    with pytest.raises(CommitError, match=r"not committed: .* other programs have subscribed"):
        reading.parts.commit([reading.taken()])


def handed_over_at_once(reading: InMemory, grant: Grant) -> bool:
    """Whether giving up a queue waits for nobody; a commit by hand is waited for a second."""
    began = time.monotonic()
    reading.handover.on_revoked((grant,))
    return time.monotonic() - began < 0.5


def test_what_was_sought_is_not_waited_for() -> None:
    """By hand only what was handed out is committed; what was passed over never would be."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.offer(0)
    reading.parts.commit([reading.taken()])
    assert reading.take(0.02) is None
    for offset in (100, 50, 200):
        reading.parts.seek(queue(), offset)

    assert handed_over_at_once(reading, grant)
    assert [1] == reading.committed()


def test_what_was_sought_before_it_was_begun_is_not_waited_for() -> None:
    """An application that keeps its positions elsewhere seeks them in `on_assigned`."""
    reading = InMemory(manual=True)
    reading.parts.seek(queue(), 100)

    assert handed_over_at_once(reading, reading.grant(1))


def test_what_kafka_has_deleted_is_not_waited_for() -> None:
    """It goes on behind that, and nobody was handed anything of it."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.intake.move({queue(): 100})

    assert handed_over_at_once(reading, grant)


@pytest.mark.parametrize("taken", [0, 1, 2, 3])
def test_what_is_no_message_is_not_waited_for(taken: int) -> None:
    """Offsets have gaps: the marks of transactions, and what was compacted away."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.offer(10, 20, 30, 40)
    messages = [reading.taken() for _ in range(taken - 1)]
    reading.intake.due = 0.0  # as after each second
    messages += [reading.taken() for _ in range(min(1, taken))]
    assert reading.parts.commit(messages)

    assert handed_over_at_once(reading, grant)


@pytest.mark.parametrize("batch", [2, 3, 4])
def test_a_batch_that_is_committed_is_not_waited_for(batch: int) -> None:
    """Nor the gap between it and the next one; what is not committed of it is."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.offer(10, 20, 30, 40)
    found = reading.taking.batch(batch, 0.01)
    assert reading.parts.commit(found[:-1])
    is_uncommitted = reading.intake.is_uncommitted(reading.intake.readings[queue()])
    assert reading.parts.commit(found)

    assert is_uncommitted
    assert handed_over_at_once(reading, grant)


def test_what_the_application_came_back_from_is_waited_for() -> None:
    """By hand it is done when that is said, and not when the next one is asked for."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.offer(10, 20)
    reading.taken()
    reading.taken()
    assert reading.take(0.02) is None

    assert not handed_over_at_once(reading, grant)


def test_what_was_sought_back_and_is_not_handed_out_is_not_waited_for() -> None:
    """It will be handed out again, here or by the heir."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.offer(10, 20, 30)
    messages = [reading.taken() for _ in range(3)]
    assert reading.take(0.02) is None
    reading.parts.commit(messages[:1])
    reading.parts.seek(queue(), 11)

    assert handed_over_at_once(reading, grant)


def test_what_was_sought_back_while_it_was_in_hand_is_not_waited_for() -> None:
    """To try a message again later: sought before the loop comes back."""
    reading = InMemory(manual=True)
    grant = reading.grant(1)
    reading.offer(10, 11, 12)
    messages = [reading.taken() for _ in range(2)]
    reading.parts.commit(messages[:1])
    reading.parts.seek(queue(), 11)
    assert reading.take(0.02) is None

    assert handed_over_at_once(reading, grant)


def test_what_came_under_another_grant_is_not_waited_for() -> None:
    """Its queue was lost, and is back; what is in hand concerns nobody."""
    reading = InMemory(manual=True)
    first = reading.grant(1)
    reading.offer(10, 20)
    reading.taken()
    reading.taken()
    reading.lose(first)
    second = reading.grant(3)
    assert reading.take(0.02) is None

    assert handed_over_at_once(reading, second)
