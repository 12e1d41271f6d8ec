"""A consumer that follows its grants on a real broker: what it hands out, stops and commits."""

import threading
import time

import pytest
from confluent_kafka import TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.application import until
from tests.integration.readings import PATIENCE_S, Reading, said_with
from trimtab import Grant, QueueRef
from trimtab.callbacks import Positions
from trimtab.consuming.confluent import metadata_of
from trimtab.transports import Client as Library

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]


def handing_over(reading: Reading, grant: Grant) -> tuple[threading.Thread, list[Positions]]:
    """Begin a hand-over that may have to wait."""
    handed: list[Positions] = []
    thread = threading.Thread(target=lambda: handed.append(reading.handover.on_revoked((grant,))))
    thread.start()
    until(reading.handover.is_awaited)
    return thread, handed


def test_a_consumer_stops_between_two_messages_and_says_where(reading: Reading, work: str) -> None:
    """The position is committed and returned; the other queues go on where they were."""
    first, second = QueueRef(work, "", 0), QueueRef(work, "", 1)
    reading.assign(Grant(first, 1), Grant(second, 1))
    before = reading.read(4)
    positions = reading.handover.on_revoked((Grant(first, 1),))
    handled = len([partition for partition, _ in before if partition == 0])
    after = reading.read(1 + handled)

    assert handled == (positions[first] or 0)
    assert handled == max(0, reading.committed(first))
    assert {1} == {partition for partition, _ in after}
    assert sorted({*before, *after}) == sorted([*before, *after])


def test_a_consumer_commits_nothing_for_what_was_lost(reading: Reading, work: str) -> None:
    """Somebody else may have gone further already; and it does not wait to be told."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first, second)
    reading.read(10)
    reading.lost = {first}
    reading.commit()
    assert {} == reading.handover.on_revoked((first,))
    reading.handover.on_lost((first,))

    assert (0, 5) == (reading.committed(first.queue), reading.committed(second.queue))


def test_a_consumer_hands_out_nothing_of_what_was_lost(reading: Reading, work: str) -> None:
    """A process that was suspended finds out before it acts, not when it is told."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first, second)
    reading.take(1)
    reading.lost = {first, second}

    assert reading.poll(0.5) is None


def test_what_is_lost_may_have_been_given_up_a_moment_ago(reading: Reading, work: str) -> None:
    """The member fenced itself while the application was letting go."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first, second)
    reading.read(1)
    reading.handover.on_revoked((first,))
    reading.handover.on_lost((first, second))
    reading.assign(Grant(first.queue, 2), Grant(second.queue, 2))

    assert 9 <= len(reading.read(9))


def test_what_is_in_hand_is_never_committed(reading: Reading, work: str) -> None:
    """An application that collects loses nothing when it is killed, whatever it has taken."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first, second)
    batch = reading.collect(10)
    reading.commit()
    collected = reading.committed(first.queue), reading.committed(second.queue)
    reading.come_back()
    reading.commit()

    assert (10, (0, 0)) == (len(batch), collected)
    assert (5, 5) == (reading.committed(first.queue), reading.committed(second.queue))


def test_what_was_fetched_and_not_handed_out_is_not_committed(reading: Reading, work: str) -> None:
    """The client is ahead of the application; the one in hand is not done either."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading.assign(first)
    reading.take(3)
    reading.commit()

    assert 2 == reading.committed(first.queue)


def test_a_hand_over_waits_for_what_is_in_hand(reading: Reading, work: str) -> None:
    """However long the member lets it; nothing more of the queue is handed out."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first)
    reading.take(2)
    ending, handed = handing_over(reading, first)
    ending.join(0.3)
    assert ([], True) == (handed, reading.handover.is_awaited())
    assert reading.poll(0.1) is None
    ending.join(PATIENCE_S)

    assert [{first.queue: 2}] == handed
    assert (2, False) == (reading.committed(first.queue), reading.handover.is_awaited())
    reading.assign(second)
    assert {1} == {partition for partition, _ in reading.read(5)}


def test_a_hand_over_waits_for_its_own_queue_only(reading: Reading, work: str) -> None:
    """A long piece of work on another queue is no reason to wait."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first, second)
    (message,) = reading.take(1)
    other, busy = (first, second) if message.partition() == 1 else (second, first)
    positions = reading.handover.on_revoked((other,))
    rest = reading.read(4)

    assert {other.queue: 0} == positions
    assert {busy.queue.id} == {partition for partition, _ in rest}


def test_a_hand_over_that_is_overdue_waits_no_longer(reading: Reading, work: str) -> None:
    """The member has lost the queue: the only bound there is."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading.assign(first)
    messages = reading.take(2)
    ending, handed = handing_over(reading, first)
    reading.lost = {first}
    ending.join(PATIENCE_S)

    assert ([{}], False) == (handed, reading.commit(*messages))
    assert 0 == reading.committed(first.queue)


def test_what_is_given_back_is_with_the_heir(reading: Reading, work: str) -> None:
    """The application has ended with a message in hand: it is not committed."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading.assign(first)
    reading.take(3)
    reading.intake.give_up()

    assert {first.queue: 2} == reading.handover.on_revoked((first,))
    assert reading.poll(0.1) is None
    assert 2 == reading.committed(first.queue)


def test_a_manual_commit_is_all_that_is_committed(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """Up to the last message of each queue that is named; and it never goes back."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading = Reading(
        kafka.bootstrap_servers, work, library, commit="manual", commit_interval="50ms"
    )
    with reading.running():
        reading.assign(first, second)
        messages = reading.take(10)
        of_first = [it for it in messages if it.partition() == 0]
        time.sleep(0.3)
        before = reading.committed(first.queue)
        assert reading.commit(of_first[2], of_first[1])
        assert reading.commit(of_first[0])

        assert 0 == before
        assert (3, 0) == (reading.committed(first.queue), reading.committed(second.queue))


def test_a_hand_over_waits_for_a_manual_commit(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """What was handed out and not committed is read again by the heir, so there is time for it."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading = Reading(kafka.bootstrap_servers, work, library, commit="manual")
    with reading.running():
        reading.assign(first)
        messages = reading.collect(5)
        ending, handed = handing_over(reading, first)
        ending.join(0.3)
        assert ([], True) == (handed, reading.handover.is_awaited())
        assert reading.commit(*messages)
        ending.join(PATIENCE_S)

        assert [{first.queue: 5}] == handed


def test_a_commit_says_under_which_token_and_in_which_life(
    kafka: EmbeddedKafka, reading: Reading, work: str
) -> None:
    """For people, and for tools that watch offsets."""
    first = Grant(QueueRef(work, "", 0), 7)
    reading.assign(first)
    reading.read(2)
    reading.commit()
    found = said_with(kafka.bootstrap_servers, work, TopicPartition(work, 0))

    said = metadata_of(found)  # confluent-kafka may read on behind its end
    assert (2, "trimtab:7:0-life") == (found.offset, said[:16])


def test_an_offset_never_goes_back(reading: Reading, work: str) -> None:
    """What a hand-over says may be older than what Kafka has: it is read again, and kept there."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading.assign(first)
    reading.read(5)
    reading.handover.on_revoked((first,))
    again = Grant(first.queue, 2, position=1)
    reading.assign(again)
    before = reading.read(2)
    reading.commit()

    assert [(0, 1), (0, 2)] == before
    assert 5 == reading.committed(first.queue)


def test_what_is_paused_waits_and_nothing_of_it_is_missed(reading: Reading, work: str) -> None:
    """Also what was fetched already."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first, second)
    before = reading.read(1)
    paused = QueueRef(work, "", 0)
    reading.parts.set_paused([paused], paused=True)
    others = reading.read(
        len([it for it in [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4)] if it not in before])
    )
    assert {1} == {partition for partition, _ in others}
    assert reading.poll(0.3) is None
    reading.parts.set_paused([paused], paused=False)
    rest = reading.read(10 - len(before) - len(others))

    assert 10 == len({*before, *others, *rest})


def test_what_was_paused_is_read_when_it_comes_back(reading: Reading, work: str) -> None:
    """The pause was of that time."""
    reading.assign(first := Grant(QueueRef(work, "", 0), 1))
    reading.read(1)
    reading.parts.set_paused([first.queue], paused=True)
    reading.handover.on_revoked((first,))
    reading.assign(Grant(first.queue, 2))
    assert [(0, offset) for offset in range(1, 5)] == reading.read(4)


def test_it_reads_on_where_it_is_told(reading: Reading, work: str) -> None:
    """Back and forth; what is committed stays."""
    reading.assign(first := Grant(QueueRef(work, "", 0), 1))
    reading.read(4)
    reading.parts.seek(first.queue, 1)
    back = reading.read(2)
    reading.commit()
    after = reading.committed(first.queue)
    reading.parts.seek(first.queue, 4)

    assert [(0, 1), (0, 2)] == back
    assert after == 3
    assert [(0, 4)] == reading.read(1)


def test_a_queue_may_be_paused_and_sought_before_it_is_begun(reading: Reading, work: str) -> None:
    """As `on_assigned` would do it, which comes before."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.parts.set_paused([first.queue, second.queue], paused=True)
    reading.handover.on_lost((first, second))  # what was said of them goes with them
    reading.parts.set_paused([first.queue], paused=True)
    reading.parts.seek(second.queue, 3)
    reading.assign(first, second)
    before = reading.read(2)
    assert reading.poll(0.3) is None
    reading.parts.set_paused([first.queue], paused=False)

    assert [(1, 3), (1, 4)] == before
    assert [(0, offset) for offset in range(5)] == reading.read(5)


def test_a_stuck_loop_is_noticed(kafka: EmbeddedKafka, work: str) -> None:
    """And one that waits for messages is not."""
    reading = Reading(kafka.bootstrap_servers, work, max_poll_interval="3s")
    with reading.running():
        reading.assign(Grant(QueueRef(work, "", 0), 1))
        reading.read(5)
        end = time.monotonic() + 4.0
        reading.waits_for(lambda: time.monotonic() > end)
        idle = list(reading.stuck)
        until(lambda: reading.stuck)

        assert [] == idle
        assert min(reading.stuck) >= 3.0
