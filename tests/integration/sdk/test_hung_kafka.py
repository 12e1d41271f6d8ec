"""Kafka hangs while members read from it: nothing waits without an end (fault H11).

The members' own records go another way, as where it is only the group's coordinator that hangs.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing

import pytest
from confluent_kafka import Message, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.application import releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, queue
from tests.integration.broken_kafka import hung
from tests.integration.readings import committed
from tests.integration.topics import create_topic
from trimtab import CommitError, Consumer
from trimtab.transports import Client as Library

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

TOPIC = queue().topic
PARTITIONS = 12
"""Six for each client."""
COUNT = 20
"""Messages in each partition."""
BOUND_S = 8.0
"""What is promised is a few seconds; the machine may pause for some."""
PATIENCE_S = 30.0
RETRIES_S = 12.0
"""librdkafka tries a commit again when its socket has been silent for ten seconds."""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedKafka]:
    """A broker to hang; each test has partitions of its own."""
    with EmbeddedKafka(tmp_path_factory.mktemp("hung"), port=0) as kafka:
        create_topic(kafka.bootstrap_servers, TOPIC, PARTITIONS)
        with closing(Producer({"bootstrap.servers": kafka.bootstrap_servers})) as producer:
            for number in range(PARTITIONS * COUNT):
                producer.produce(TOPIC, value=b"%d" % number, partition=number % PARTITIONS)
            assert producer.flush(PATIENCE_S) == 0
        yield kafka


@pytest.fixture
def base(library: Library) -> int:
    """The first partition of a client: all of them have one group."""
    return 0 if library == "confluent" else PARTITIONS // 2


def hanging(kafka: EmbeddedKafka) -> AbstractContextManager[None]:
    """Kafka takes connections, and says nothing."""
    broker = kafka.instance.running()
    assert broker is not None
    return hung(broker.pid)


class Reader:
    """A consumer, and a controller that is a test."""

    def __init__(self, servers: str, library: Library) -> None:
        self.controller = MemoryTransport()
        self.lost: list[object] = []
        self.consumer = Consumer(
            servers,
            group=GROUP,
            topics=[TOPIC],
            member_id="m",
            transport=self.controller,
            client=library,
            kafka={"log_level": 0} if library == "confluent" else {},
            commit_interval="100ms",
            on_lost=self.lost.append,
        )
        self.slowest = 0.0
        """The longest time that a poll took."""
        self._servers = servers

    def poll(self) -> Message | None:
        """Take a message if there is one; the one before is done."""
        began = time.monotonic()
        message = self.consumer.poll(0.05)
        self.slowest = max(self.slowest, time.monotonic() - began)
        return message

    def take(self, count: int) -> list[Message]:
        """Take so many messages."""
        found: list[Message] = []
        deadline = time.monotonic() + PATIENCE_S
        while len(found) < count and time.monotonic() < deadline:
            found.extend(filter(None, [self.poll()]))
        assert count == len(found), "so few came in time"
        return found

    def poll_for(self, seconds: float) -> None:
        """Poll, and expect no message."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.poll() is None

    def committed(self, number: int) -> int:
        """What the group has committed."""
        return committed(self._servers, GROUP, TopicPartition(TOPIC, number), PATIENCE_S)


@pytest.fixture
def reader(own: EmbeddedKafka, library: Library) -> Iterator[Reader]:
    """A member at work; it ends within its bound, whatever Kafka does."""
    reader = Reader(own.bootstrap_servers, library)
    with reader.consumer:
        yield reader


def takes(action: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.monotonic()
    action()
    return time.monotonic() - began


def test_a_hand_over_ends(own: EmbeddedKafka, reader: Reader, base: int) -> None:
    """The position goes to the heir with the release, though nobody could commit it."""
    reader.controller.assign(1, hold=[(base, 1), (base + 1, 1)])
    reader.take(2 * COUNT)
    with hanging(own):
        reader.poll_for(0.2)  # the last one is done
        reader.controller.assign(2, hold=[(base + 1, 1)], give=[(base, 1)])
        began = time.monotonic()
        while not releases(reader.controller) and time.monotonic() < began + PATIENCE_S:
            assert reader.poll() is None
        took = time.monotonic() - began
    (release,) = releases(reader.controller)

    assert [(base, COUNT)] == [(it.id, it.position) for it in release.queues]
    assert (True, True) == (took < BOUND_S, reader.slowest < BOUND_S), (took, reader.slowest)
    assert [] == reader.lost


def test_commits_end(own: EmbeddedKafka, library: Library, base: int) -> None:
    """Those now and then stop nobody, one that is waited for says so, and leaving ends as well."""
    reader = Reader(own.bootstrap_servers, library)
    reader.consumer.__enter__()
    reader.controller.assign(1, hold=[(base + 2, 1)])
    reader.take(COUNT - 5)
    with hanging(own):
        for _ in range(5):
            assert reader.poll() is not None
            time.sleep(0.2)

        def commit() -> None:
            with pytest.raises(CommitError, match=r"_TIMED_OUT|no answer|Unable to bootstrap"):
                reader.consumer.commit()

        took = {
            "poll": reader.slowest,
            "commit": takes(commit),
            "leave": takes(lambda: reader.consumer.__exit__(None, None, None)),
        }

    assert [] == [it for it, seconds in took.items() if seconds > BOUND_S], took


def test_a_commit_given_up_while_kafka_comes_back_ends_no_process(own: EmbeddedKafka) -> None:
    """Librdkafka ended it within three rounds, when the request had a time of its own."""
    assert (0, "") == end_of("giving_up_process", own)


def test_a_question_given_up_while_kafka_comes_back_ends_no_process(own: EmbeddedKafka) -> None:
    """As above, within one round: who is in the group is asked by each consumer that may move."""
    assert (0, "") == end_of("asking_process", own)


def end_of(name: str, kafka: EmbeddedKafka) -> tuple[int, str]:
    """Run a process that has Kafka hang; return how it ended, and what it said of that."""
    broker = kafka.instance.running()
    assert broker is not None
    which = [kafka.bootstrap_servers, str(broker.pid)]
    command = [sys.executable, "-m", f"tests.integration.sdk.{name}", *which]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=4 * PATIENCE_S
        )
    finally:  # it stops the broker, and goes on with it only if it lives to the end
        os.kill(broker.pid, signal.SIGCONT)
    return done.returncode, done.stderr


@pytest.mark.parametrize("library", ["confluent"])  # when to ask again is not the client's
def test_a_beginning_that_is_not_known_yet_is_asked_for_again(
    own: EmbeddedKafka, reader: Reader, base: int
) -> None:
    """Others are read meanwhile, most of the time."""
    reader.controller.assign(1, hold=[(base + 4, 1)])
    reader.take(COUNT)
    with hanging(own):
        reader.controller.assign(2, hold=[(base + 4, 1), (base + 5, 1)])
        reader.poll_for(BOUND_S)
    messages = reader.take(COUNT)

    assert {base + 5} == {it.partition() for it in messages}
    assert reader.slowest < BOUND_S
    assert [] == reader.lost


def test_nothing_is_committed_of_what_is_lost(
    own: EmbeddedKafka, reader: Reader, base: int
) -> None:
    """What hung is given up, and not sent when Kafka is back and the queue is somebody else's."""
    reader.controller.assign(1, hold=[(base + 3, 1)])
    reader.take(1)
    before = reader.committed(base + 3)
    with hanging(own):
        reader.take(1)
        time.sleep(1.0)  # a commit has been sent
        reader.take(COUNT - 2)  # fetched before
        time.sleep(0.5)
        reader.controller.assign(2)
        until(lambda: reader.lost)
    seen = set()
    end = time.monotonic() + RETRIES_S
    while time.monotonic() < end:
        seen.add(reader.committed(base + 3))
        reader.poll_for(0.2)

    assert before == 0
    assert seen <= {0, 1}
