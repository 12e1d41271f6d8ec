"""Where a consumer begins on a real broker, and what it commits though nothing is read."""

import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.builders.application import until
from tests.integration.readings import PATIENCE_S, Reading, commit_at, fill, subscribed
from tests.integration.topics import create_topic, delete_topic
from trimtab import CommitError, Grant, QueueRef, SharedGroupError
from trimtab.transports import Client as Library

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

IDLE_S = 2.0
"""After that librdkafka looks for a topic that it does not know once a second."""
FETCH_S = 1.0
"""For how long a broker holds back an answer without messages."""
AT_ONCE_S = 0.25
"""It takes hundredths. The best of three counts, for the machine's sake; a timer takes longer."""


def test_a_consumer_begins_where_the_last_owner_stopped(reading: Reading, work: str) -> None:
    """At the position of the grant; without one, where the group has committed, or at the start."""
    reading.assign(Grant(QueueRef(work, "", 0), 1, position=3), Grant(QueueRef(work, "", 1), 1))

    expected = [(0, 3), (0, 4), *((1, offset) for offset in range(5))]
    assert expected == sorted(reading.read(7))


@pytest.mark.parametrize(
    ("library", "promised"),
    [("confluent", True), ("confluent", False), ("kafka-python", False)],
)
def test_a_consumer_that_had_nothing_begins_at_once(
    kafka: EmbeddedKafka, work: str, library: Library, *, promised: bool
) -> None:
    """It finds a queue's broker before it reads, and does not wait for librdkafka's timers."""
    queue = QueueRef(work, "", 0)
    took = []
    for token in range(1, 4):
        reading = Reading(kafka.bootstrap_servers, f"{work}-{token}", library)
        reading.promised = (queue,) if promised else ()
        with reading.running():
            time.sleep(IDLE_S)
            began = time.monotonic()
            reading.assign(Grant(queue, token, position=3))
            assert 1 == len(reading.take(1))
            took.append(time.monotonic() - began)

    assert min(took) < AT_ONCE_S, took


def test_a_queue_that_comes_beside_idle_ones_waits_for_one_fetch_at_most(
    kafka: EmbeddedKafka, topics_prefix: str
) -> None:
    """That which is on its way when it comes; nothing is asked about a topic that is read."""
    topic, trials = f"{topics_prefix}work", 4
    create_topic(kafka.bootstrap_servers, topic, trials + 1)
    with closing(Producer({"bootstrap.servers": kafka.bootstrap_servers})) as producer:
        for number in range(1, trials + 1):
            producer.produce(topic, b"waits", partition=number)
        assert producer.flush(PATIENCE_S) == 0
    took = []
    fetch = {"fetch.wait.max.ms": int(FETCH_S * 1_000)}
    with Reading(kafka.bootstrap_servers, topic, fetch=fetch).running() as reading:
        reading.assign(Grant(QueueRef(topic, "", 0), 1, position=0))
        for number in range(1, trials + 1):
            assert reading.poll(FETCH_S / 2) is None  # a fetch is on its way
            began = time.monotonic()
            reading.assign(Grant(QueueRef(topic, "", number), 1, position=0))
            assert 1 == len(reading.take(1))
            took.append(time.monotonic() - began)

    assert max(took) < 1.75 * FETCH_S, took  # two fetches take twice as long


def test_a_consumer_outlasts_a_coordinator_that_has_just_started(
    tmp_path: Path, library: Library
) -> None:
    """Where the group stopped is asked for again until it is known: no queue rests for ever."""
    with EmbeddedKafka(tmp_path, port=0) as fresh:
        create_topic(fresh.bootstrap_servers, "work", 2)
        fill(fresh.bootstrap_servers, "work")
        reading = Reading(fresh.bootstrap_servers, "work", library)
        with reading.running():
            reading.assign(Grant(QueueRef("work", "", 0), 1), Grant(QueueRef("work", "", 1), 1))
            assert 10 == len(set(reading.read(10)))


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("earliest", 0),
        ("latest", 5),
        (datetime(2020, 1, 1, tzinfo=UTC), 0),
        (datetime(2090, 1, 1, tzinfo=UTC), 5),
    ],
    ids=["earliest", "latest", "past", "future"],
)
def test_the_first_beginning_is_committed_before_anything_is_read(
    kafka: EmbeddedKafka, work: str, library: Library, start: str | datetime, expected: int
) -> None:
    """So whoever comes next begins there too, whatever was written meanwhile."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading = Reading(kafka.bootstrap_servers, work, library, start=start)
    with reading.running():
        reading.assign(first, second)
        until(lambda: reading.committed(first.queue) >= 0)
        assert expected == reading.committed(first.queue) == reading.committed(second.queue)
        reading.handover.on_lost((first, second))
    fill(kafka.bootstrap_servers, work)
    successor = Reading(kafka.bootstrap_servers, work, library, start="latest")
    with successor.running():
        successor.assign(Grant(first.queue, 2), Grant(second.queue, 2))
        assert expected == min(offset for _, offset in successor.read(10))


def test_messages_that_kafka_has_deleted_cost_no_others(
    kafka: EmbeddedKafka, reading: Reading, work: str
) -> None:
    """It goes on with the earliest there is, never with the end."""
    first = Grant(QueueRef(work, "", 0), 1, position=1)
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})
    deleted = admin.delete_records([TopicPartition(work, 0, 3)])
    assert all(it.result(PATIENCE_S) for it in deleted.values())
    reading.assign(first)

    assert [(0, 3), (0, 4)] == reading.read(2)


def test_what_is_committed_beyond_the_end_of_a_log_is_written_over(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """The log was longer, and will be so again: whoever began there would skip what comes."""
    first = Grant(QueueRef(work, "", 0), 1)
    commit_at(kafka.bootstrap_servers, work, first.queue, 1_000)
    with Reading(kafka.bootstrap_servers, work, library, commit_interval="50ms").running() as it:
        it.assign(first)
        assert [(0, offset) for offset in range(5)] == it.read(5)
        it.waits_for(lambda: it.committed(first.queue) == 5)


def test_a_topic_that_is_made_anew_is_read_from_its_beginning(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """Kafka tells kafka-python of a log that was cut, where the new one ends."""
    servers, first = kafka.bootstrap_servers, Grant(QueueRef(work, "", 0), 1)
    with Reading(servers, work, library, commit_interval="50ms").running() as it:
        fill(servers, work)
        it.assign(first)
        it.read(10)
        it.waits_for(lambda: it.committed(first.queue) == 10)
        delete_topic(servers, work)
        create_topic(servers, work, 2)
        fill(servers, work)
        assert [(0, offset) for offset in range(5)] == it.read(5)


def test_a_position_that_was_handed_over_is_committed_though_nothing_comes(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """It is not known whether the one who handed it over could."""
    first = Grant(QueueRef(work, "", 0), 1, position=5)
    reading = Reading(kafka.bootstrap_servers, work, library, commit_interval="50ms")
    with reading.running():
        reading.assign(first)
        reading.waits_for(lambda: reading.committed(first.queue) == 5)


def test_a_subscriber_under_its_groups_name_is_told(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """Kafka does not say why it refuses, and messages come twice."""
    first, second = Grant(QueueRef(work, "", 0), 1), Grant(QueueRef(work, "", 1), 1, position=3)
    servers = kafka.bootstrap_servers
    with (
        subscribed(servers, work, work),
        Reading(servers, work, library, commit_interval="100ms").running() as reading,
    ):
        reading.assign(first, second)
        assert [(1, 3), (1, 4)] == reading.read(2)  # where to begin with the other is not committed
        with pytest.raises(CommitError):
            reading.commit()
        until(lambda: reading.errors)

    assert [SharedGroupError] == [type(it) for it in reading.errors]


def test_an_idle_queue_is_committed_again_and_again(
    kafka: EmbeddedKafka, work: str, library: Library
) -> None:
    """Kafka forgets what was committed long ago; and only its owner may do it."""
    first = Grant(QueueRef(work, "", 0), 1, position=5)
    reading = Reading(
        kafka.bootstrap_servers, work, library, commit_interval="50ms", recommit_interval="200ms"
    )
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "log_level": 2})

    def forget() -> None:
        """What Kafka does when the time is up, for the whole group."""
        admin.delete_consumer_groups([work])[work].result(PATIENCE_S)

    with reading.running():
        reading.assign(first)
        reading.waits_for(lambda: reading.committed(first.queue) == 5)
        forget()
        reading.waits_for(lambda: reading.committed(first.queue) == 5)
        reading.lost = {first}
        reading.poll(0.5)
        forget()
        reading.poll(0.5)
        assert reading.committed(first.queue) < 0


def test_its_lag_is_what_is_not_done(reading: Reading, work: str) -> None:
    """Of each queue that it owns: fetched or not, in hand or not; none of what it gives up."""
    first, second = (Grant(QueueRef(work, "", number), 1) for number in (0, 1))
    reading.assign(first, second)
    lags = [reading.parts.lag()]
    read = Counter(message.partition() for message in reading.take(7))
    lags.append(reading.parts.lag())
    reading.come_back()
    lags.append(reading.parts.lag())
    reading.handover.on_revoked((first,))
    lags.append(reading.parts.lag())

    left = {grant.queue: 5 - read[grant.queue.id] for grant in (first, second)}
    assert set(lags[0].values()) <= {None, 5}  # nothing was asked, and a fetch may be there
    assert sum(left.values()) + 1 == sum(it or 0 for it in lags[1].values())  # one is in hand
    assert left == lags[2]
    assert {second.queue: left[second.queue]} == lags[3]
