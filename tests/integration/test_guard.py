"""The guard of a member on a real broker, without a controller: orders are published by hand."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.sessions import GROUP, assignment, queue
from tests.integration.topics import create_control_topics
from trimtab.protocol import (
    ASSIGNMENTS,
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    Beat,
    Join,
    Leave,
    Record,
    Release,
    ReleaseRef,
    Topic,
    decode,
    encode,
    member_key,
    partition_of,
)
from trimtab.transports import Client

pytestmark = pytest.mark.kafka

PARTITIONS = 4
PARTITION = partition_of(GROUP, PARTITIONS)
PATIENCE_S = 30.0
AT_ONCE_S = 10.0
"""Far less than a session of silence, and enough for a machine that is busy."""
CONNECT_S = 2.0
"""For the guard to connect: it is younger than the member."""
TOPICS = (MEMBERS, HEARTBEATS, RELEASES)


class Log:
    """What the member and its guard write, and when it was appended."""

    def __init__(self, servers: str, prefix: str) -> None:
        self.records: list[tuple[int, Record]] = []
        self._prefix = prefix
        self._topics: dict[str, Topic[Any]] = {prefix + it.name: it for it in TOPICS}
        self._servers = {"bootstrap.servers": servers, "log_level": 2}
        self._consumer = Consumer({**self._servers, "group.id": "test", "fetch.wait.max.ms": 20})
        self._consumer.assign([TopicPartition(name, PARTITION, 0) for name in self._topics])

    def order(self, life: str, epoch: int, *held: tuple[int, int, int | None]) -> None:
        """Tell the member what to hold."""
        record = assignment(epoch, hold=held, incarnation=life)
        producer = Producer({**self._servers, "linger.ms": 0})
        key, value = member_key(GROUP, "m"), encode(record)
        producer.produce(self._prefix + ASSIGNMENTS.name, value, key, partition=PARTITION)
        assert producer.flush(PATIENCE_S) == 0
        producer.close()

    def find(self, kind: type[Record], is_meant: Callable[[Record], bool]) -> tuple[int, Record]:
        """Read until there is such a record; when it was appended, and what it says."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            for at, record in self.records:
                if isinstance(record, kind) and is_meant(record):
                    return at, record
            assert time.monotonic() < deadline, f"there is none: {self.records}"
            self.read(0.05)

    def read(self, seconds: float) -> None:
        """Read the next record, if one comes in that time."""
        message = self._consumer.poll(seconds)
        if message is not None:
            error = message.error()
            assert error is None or error.code() == KafkaError._PARTITION_EOF, error  # noqa: SLF001 - named so there
            topic = self._topics[message.topic() or ""]
            self.records.append((message.timestamp()[1], decode(topic, message.value())))

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()


@pytest.fixture
def log(kafka: EmbeddedKafka, topics_prefix: str) -> Iterator[Log]:
    """The log of the test's own topics."""
    create_control_topics(kafka.bootstrap_servers, topics_prefix, PARTITIONS)
    log = Log(kafka.bootstrap_servers, topics_prefix)
    yield log
    log.close()


@pytest.fixture
def worker(
    kafka: EmbeddedKafka, topics_prefix: str, log: Log, client: Client
) -> Iterator["subprocess.Popen[bytes]"]:
    """A member under a guard, in a process of its own, that holds two queues."""
    options = {
        "bootstrap_servers": kafka.bootstrap_servers,
        "prefix": topics_prefix,
        "group": GROUP,
        "topics": ["orders"],
        "member_id": "m",
        "session_timeout": "30s",
        "client": client,
        "guard": True,
    }
    command = [sys.executable, "-m", "tests.integration.worker", json.dumps(options)]
    process = subprocess.Popen(command)
    try:
        _, join = log.find(Join, lambda _: True)
        assert isinstance(join, Join)
        log.order(join.incarnation, 3, (0, 2, 5), (1, 3, None))
        log.find(Beat, lambda it: isinstance(it, Beat) and it.epoch == 3)
        yield process
    finally:
        process.kill()
        process.wait()
        log.find(Leave, lambda _: True)  # the guard has ended, too


@pytest.mark.parametrize("client", ["confluent", "kafka-python"])
def test_a_member_that_is_killed_is_spoken_for(worker: "subprocess.Popen[bytes]", log: Log) -> None:
    """Long before its session is over: each queue goes to its next, and then it has left."""
    time.sleep(CONNECT_S)
    killed_ms = time.time_ns() // 1_000_000
    os.kill(worker.pid, signal.SIGKILL)
    released_ms, release = log.find(Release, lambda it: isinstance(it, Release) and bool(it.queues))
    left_ms, leave = log.find(Leave, lambda _: True)

    assert isinstance(release, Release)
    assert isinstance(leave, Leave)
    rows = [ReleaseRef(*queue(), 2, None, 5), ReleaseRef(*queue(1), 3, None, None)]
    assert ("m", "guard", rows) == (release.member, release.by, list(release.queues))
    assert (release.incarnation, False) == (leave.incarnation, leave.temporary)
    print(f"released {released_ms - killed_ms} ms after the kill, left {left_ms - killed_ms} ms")  # noqa: T201 - for `pytest -s`
    assert killed_ms <= released_ms <= left_ms < killed_ms + AT_ONCE_S * 1_000


@pytest.mark.parametrize("client", ["confluent"])
def test_its_guard_is_silent_while_it_lives(worker: "subprocess.Popen[bytes]", log: Log) -> None:
    """Also if it stands still: it may go on at any time."""
    os.kill(worker.pid, signal.SIGSTOP)
    end = time.monotonic() + CONNECT_S
    while time.monotonic() < end:
        log.read(0.1)

    said = [it for _, it in log.records if isinstance(it, Release | Leave)]
    assert [] == [it for it in said if isinstance(it, Leave) or it.queues]  # marks are the member's
