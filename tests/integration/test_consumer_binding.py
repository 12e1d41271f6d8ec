"""A consumer that follows its grants on a real broker: where it begins, stops and commits."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.integration.topics import create_topic
from trimtab import ConfigurationError, Grant, QueueRef
from trimtab.callbacks import Positions
from trimtab.kafka import ConsumerBinding
from trimtab.session import Profile

pytestmark = [
    pytest.mark.kafka,
    # kafka-python 3.0 reads its schemas in a way that Python 3.11 deprecates.
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
]

PATIENCE_S = 20.0


class Reading:
    """A binding whose grants are given and taken by hand."""

    def __init__(self, servers: str, group: str, **options: Any) -> None:  # noqa: ANN401 - as of it
        settings = {"bootstrap.servers": servers, "group.id": group, "log_level": 2}
        self.binding = ConsumerBinding(settings, **options)
        self.lost: set[Grant] = set()
        """What the member would say that it does not own any more."""
        profile = Profile(group=group, member="m", topics=("work",))
        self.binding.attach(profile, lambda grants: frozenset(grants) - self.lost)
        self._group = group
        self._servers = servers

    def take(self, count: int) -> list[Message]:
        """Poll so many messages, which are in hand then."""
        found: list[Message] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < count and time.monotonic() < deadline:
            message = self.binding.poll(0.1)
            if message is not None:
                assert message.error() is None
                found.append(message)
        return found

    def read(self, count: int) -> list[tuple[int, int]]:
        """Handle so many messages: their partitions and offsets."""
        messages = self.take(count)
        assert self.binding.done(*messages)
        return [(it.partition() or 0, it.offset() or 0) for it in messages]

    def committed(self, queue: QueueRef) -> int:
        """What the group has committed."""
        settings = {"bootstrap.servers": self._servers, "group.id": self._group, "log_level": 2}
        with closing(Consumer(settings)) as consumer:
            (found,) = consumer.committed([TopicPartition(queue.topic, queue.id)], PATIENCE_S)
        return found.offset

    def waits_for(self, condition: Callable[[], bool]) -> None:
        """Poll, and expect no message, until something is true."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            assert self.binding.poll(0.05) is None


def fill(servers: str, topic: str) -> None:
    """Write five messages into each of two partitions."""
    producer = Producer({"bootstrap.servers": servers, "log_level": 2})
    for number in range(10):
        producer.produce(topic, value=b"%d" % number, partition=number % 2)
    assert producer.flush(PATIENCE_S) == 0
    producer.close()


@pytest.fixture
def work(kafka: EmbeddedKafka, topics_prefix: str) -> str:
    """A topic of two partitions, with five messages in each."""
    topic = f"{topics_prefix}work"
    create_topic(kafka.bootstrap_servers, topic, 2)
    fill(kafka.bootstrap_servers, topic)
    return topic


@pytest.fixture
def reading(kafka: EmbeddedKafka, work: str) -> Iterator[Reading]:
    """A bound consumer."""
    reading = Reading(kafka.bootstrap_servers, work)
    with reading.binding:
        yield reading


def test_a_binding_begins_where_the_last_owner_stopped(reading: Reading, work: str) -> None:
    """At the position of the grant; without one, where the group has committed, or at the start."""
    reading.binding.on_assigned(
        (Grant(QueueRef(work, "", 0), 1, position=3), Grant(QueueRef(work, "", 1), 1))
    )

    expected = [(0, 3), (0, 4), *((1, offset) for offset in range(5))]
    assert expected == sorted(reading.read(7))


def test_a_binding_outlasts_a_coordinator_that_has_just_started(tmp_path: Path) -> None:
    """Where the group stopped is asked for again until it is known: no queue rests for ever."""
    with EmbeddedKafka(tmp_path, port=0) as fresh:
        create_topic(fresh.bootstrap_servers, "work", 2)
        fill(fresh.bootstrap_servers, "work")
        reading = Reading(fresh.bootstrap_servers, "work")
        with reading.binding as binding:
            binding.on_assigned(
                (Grant(QueueRef("work", "", 0), 1), Grant(QueueRef("work", "", 1), 1))
            )
            assert 10 == len(set(reading.read(10)))


def test_a_binding_stops_between_two_messages_and_says_where(reading: Reading, work: str) -> None:
    """The position is committed and returned; the other queues go on where they were."""
    first, second = QueueRef(work, "", 0), QueueRef(work, "", 1)
    reading.binding.on_assigned((Grant(first, 1), Grant(second, 1)))
    before = reading.read(4)
    positions = reading.binding.on_revoked((Grant(first, 1),))
    handled = len([partition for partition, _ in before if partition == 0])
    after = reading.read(1 + handled)

    assert handled == (positions[first] or 0)
    assert handled == max(0, reading.committed(first))
    assert {1} == {partition for partition, _ in after}
    assert sorted({*before, *after}) == sorted([*before, *after])


def test_a_binding_commits_nothing_for_what_was_lost(reading: Reading, work: str) -> None:
    """Somebody else may have gone further already; and it does not wait to be told."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    messages = reading.take(10)
    reading.lost = {first}
    assert reading.binding.done(*messages)
    reading.binding.commit()
    assert {} == reading.binding.on_revoked((first,))
    reading.binding.on_lost((first,))

    assert (0, 5) == (reading.committed(first.queue), reading.committed(second.queue))


def test_a_binding_hands_out_nothing_of_what_was_lost(reading: Reading, work: str) -> None:
    """A process that was suspended finds out before it acts, not when it is told."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    reading.take(1)
    reading.lost = {first, second}

    reading.waits_for(lambda: True)
    assert reading.binding.poll(0.5) is None


def test_what_is_lost_may_have_been_given_up_a_moment_ago(reading: Reading, work: str) -> None:
    """The member fenced itself while the application was letting go."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    reading.read(1)
    reading.binding.on_revoked((first,))
    reading.binding.on_lost((first, second))
    reading.binding.on_assigned((Grant(first.queue, 2), Grant(second.queue, 2)))

    assert 9 <= len(reading.read(9))


def test_what_is_in_hand_is_never_committed(reading: Reading, work: str) -> None:
    """An application that collects loses nothing when it is killed, whatever it has polled."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first, second))
    messages = reading.take(10)
    reading.binding.commit()
    collected = reading.committed(first.queue), reading.committed(second.queue)
    later = [it for it in messages if (it.offset() or 0) > 0]
    reading.binding.done(*later)
    reading.binding.commit()
    disordered = reading.committed(first.queue), reading.committed(second.queue)
    reading.binding.done(*messages)
    reading.binding.commit()

    assert ((0, 0), (0, 0)) == (collected, disordered)
    assert (5, 5) == (reading.committed(first.queue), reading.committed(second.queue))


def test_a_hand_over_waits_for_what_is_in_hand(reading: Reading, work: str) -> None:
    """However long the member lets it; the application is asked, and gets no more of it."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.binding.on_assigned((first,))
    messages = reading.take(2)
    handed: list[Positions] = []
    ending = threading.Thread(target=lambda: handed.append(reading.binding.on_revoked((first,))))
    ending.start()
    reading.waits_for(lambda: reading.binding.waiting)
    reading.waits_for(lambda: True)
    assert ([], True) == (handed, ending.is_alive())
    reading.binding.done(*messages)
    ending.join(PATIENCE_S)

    assert [{first.queue: 2}] == handed
    assert (2, False) == (reading.committed(first.queue), reading.binding.waiting)
    reading.binding.on_assigned((second,))
    assert {1} == {partition for partition, _ in reading.read(5)}


def test_a_hand_over_that_is_overdue_waits_no_longer(reading: Reading, work: str) -> None:
    """The member has lost the queue: the only bound there is."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading.binding.on_assigned((first,))
    messages = reading.take(2)
    handed: list[Positions] = []
    ending = threading.Thread(target=lambda: handed.append(reading.binding.on_revoked((first,))))
    ending.start()
    reading.lost = {first}
    ending.join(PATIENCE_S)

    assert ([{}], False) == (handed, reading.binding.done(*messages))
    assert 0 == reading.committed(first.queue)


def test_asking_for_the_next_may_say_that_the_last_is_done(kafka: EmbeddedKafka, work: str) -> None:
    """Only if that was chosen; what was polled last is still in hand."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading = Reading(kafka.bootstrap_servers, work, poll_means_done=True)
    with reading.binding as binding:
        binding.on_assigned((first,))
        assert 3 == len(reading.take(3))
        binding.commit()
        assert 2 == reading.committed(first.queue)


@pytest.mark.parametrize(("start", "expected"), [("earliest", 0), ("latest", 5)])
def test_the_first_beginning_is_committed_before_anything_is_read(
    kafka: EmbeddedKafka, work: str, start: str, expected: int
) -> None:
    """So whoever comes next begins there too, whatever was written meanwhile."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading = Reading(kafka.bootstrap_servers, work, start=start)
    with reading.binding as binding:
        binding.on_assigned((first, second))
        assert expected == reading.committed(first.queue) == reading.committed(second.queue)
        binding.on_lost((first, second))
    fill(kafka.bootstrap_servers, work)
    successor = Reading(kafka.bootstrap_servers, work, start="latest")
    with successor.binding as binding:
        binding.on_assigned((Grant(first.queue, 2), Grant(second.queue, 2)))
        assert expected == min(offset for _, offset in successor.read(10))


def test_messages_that_kafka_has_deleted_cost_no_others(
    kafka: EmbeddedKafka, reading: Reading, work: str
) -> None:
    """It goes on with the earliest there is, never with the end."""
    first = Grant(QueueRef(work, "", 0), 1, position=1)
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})
    deleted = admin.delete_records([TopicPartition(work, 0, 3)])
    assert all(it.result(PATIENCE_S) for it in deleted.values())
    reading.binding.on_assigned((first,))

    assert [(0, 3), (0, 4)] == reading.read(2)


def test_a_position_that_was_handed_over_is_committed_though_nothing_comes(
    kafka: EmbeddedKafka, work: str
) -> None:
    """It is not known whether the one who handed it over could."""
    first = Grant(QueueRef(work, "", 0), 1, position=5)
    reading = Reading(kafka.bootstrap_servers, work, commit_interval="50ms")
    with reading.binding as binding:
        binding.on_assigned((first,))
        reading.waits_for(lambda: reading.committed(first.queue) == 5)


def test_an_idle_queue_is_committed_again_and_again(kafka: EmbeddedKafka, work: str) -> None:
    """Kafka forgets what was committed long ago; and only its owner may do it."""
    first = Grant(QueueRef(work, "", 0), 1, position=5)
    reading = Reading(
        kafka.bootstrap_servers, work, commit_interval="50ms", recommit_interval="200ms"
    )
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})

    def forget() -> None:
        """What Kafka does when the time is up, for the whole group."""
        admin.delete_consumer_groups([work])[work].result(PATIENCE_S)
        assert reading.committed(first.queue) < 0

    with reading.binding as binding:
        binding.on_assigned((first,))
        reading.waits_for(lambda: reading.committed(first.queue) == 5)
        forget()
        reading.waits_for(lambda: reading.committed(first.queue) == 5)
        reading.lost = {first}
        binding.poll(0.5)
        forget()
        binding.poll(0.5)
        assert reading.committed(first.queue) < 0


def test_what_is_given_back_is_with_the_heir(kafka: EmbeddedKafka, work: str) -> None:
    """The application has ended with messages in hand: nothing of them is committed."""
    first = Grant(QueueRef(work, "", 0), 1)
    reading = Reading(kafka.bootstrap_servers, work)
    with reading.binding as binding:
        binding.on_assigned((first,))
        reading.read(2)
        reading.take(2)
        assert binding.is_read_here()
        binding.give_back()
        assert {first.queue: 2} == binding.on_revoked((first,))
        assert binding.poll(0.1) is None
    assert 2 == reading.committed(first.queue)


def test_a_binding_serves_one_member() -> None:
    """Of its own group, and none without being made for it."""
    settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "billing", "log_level": 0}
    with ConsumerBinding(settings) as binding:
        with pytest.raises(ConfigurationError, match=r"^binding: make a member with it"):
            binding.on_assigned((Grant(QueueRef("work", "", 0), 1),))
        binding.attach(Profile(group="billing", member="m", topics=("t",)), frozenset)
        with pytest.raises(ConfigurationError, match=r"^binding: it follows a member already"):
            binding.attach(Profile(group="billing", member="n", topics=("t",)), frozenset)


def test_a_mistaken_setting_is_named() -> None:
    """When the binding is made."""
    settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "billing", "no.such.setting": 1}
    with pytest.raises(ConfigurationError, match=r"^settings: .*no\.such\.setting"):
        ConsumerBinding(settings)
