"""The guard of a member on a real broker, without a controller: orders are published by hand."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from bench.departures.supervised import SUPERVISED, commands
from console.embedded.broker import EmbeddedKafka
from tests.builders import stranger
from tests.builders.sessions import GROUP, MINE, assignment, queue
from tests.integration.guarded import await_guard, guard_of
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
SILENT_S = 2.0
"""A guard that had something to say has said it by then."""
TOPICS = (MEMBERS, HEARTBEATS, RELEASES)
Start = Callable[..., "subprocess.Popen[bytes]"]


class Log:
    """What the member and its guard write, and when it was appended."""

    def __init__(self, servers: str, prefix: str) -> None:
        self.records: list[tuple[int, Record]] = []
        self._prefix = prefix
        self._topics: dict[str, Topic[Any]] = {prefix + it.name: it for it in TOPICS}
        self._servers = {"bootstrap.servers": servers, "log_level": 2}
        self._consumer = Consumer({**self._servers, "group.id": "test", "fetch.wait.max.ms": 20})
        self._consumer.assign([TopicPartition(name, PARTITION, 0) for name in self._topics])

    def hold(self, name: str) -> None:
        """Wait until a member has joined, and have it hold two queues."""
        self.join(name)
        self.order(name, 3, (0, 2, 5), (1, 3, None))
        self.find(Beat, lambda it: isinstance(it, Beat) and (it.member, it.epoch) == (name, 3))

    def order(self, name: str, epoch: int, *held: tuple[int, int, int | None]) -> None:
        """Tell a member what to hold."""
        life = self.join(name).incarnation
        record = assignment(epoch, hold=held, member=name, incarnation=life)
        producer = Producer({**self._servers, "linger.ms": 0})
        key, value = member_key(GROUP, name), encode(record)
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

    def join(self, name: str) -> Join:
        """Wait until a member has joined."""
        _, join = self.find(Join, lambda it: isinstance(it, Join) and it.member == name)
        assert isinstance(join, Join)
        return join

    def left(self, name: str) -> tuple[int, Leave]:
        """Wait until somebody says that a member has left."""
        at, leave = self.find(Leave, lambda it: isinstance(it, Leave) and it.member == name)
        assert isinstance(leave, Leave)
        return at, leave

    def read_for(self, seconds: float) -> None:
        """Read what comes in that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.1)

    def last_words(self) -> list[Record]:
        """What was said at the end of a life; marks are no such thing."""
        said = [it for _, it in self.records if isinstance(it, Release | Leave)]
        return [it for it in said if isinstance(it, Leave) or it.queues]

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
def start(
    kafka: EmbeddedKafka, topics_prefix: str, log: Log
) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Starts a process with members that hold two queues each; ends what is left of it."""
    begun: list[tuple[subprocess.Popen[bytes], tuple[str, ...]]] = []

    def begin(
        *names: str,
        by: tuple[str, ...] = (),
        death: str = "kill",
        spoken_for: bool = True,
        **options: object,
    ) -> "subprocess.Popen[bytes]":
        told = [
            json.dumps(
                {
                    "bootstrap_servers": kafka.bootstrap_servers,
                    "prefix": topics_prefix,
                    "group": GROUP,
                    "topics": ["orders"],
                    "member_id": name,
                    "session_timeout": "30s",
                    **options,
                }
            )
            for name in names
        ]
        command = [*by, sys.executable, "-m", "tests.integration.worker", *told]
        environment = os.environ | {"TRIMTAB_TEST_DEATH": death}
        process = subprocess.Popen(command, env=environment)
        begun.append((process, names if spoken_for else ()))
        for name in names:
            log.hold(name)
        return process

    yield begin
    for process, names in begun:
        for worker in [process.pid, *(commands(process.pid) if process.poll() is None else [])]:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        process.wait()
        for name in names:
            log.left(name)  # the guard has ended, too


def expect_release(log: Log, name: str) -> int:
    """Wait until all is released of a member, and it has left; return when the first was."""
    released_ms, release = log.find(
        Release, lambda it: isinstance(it, Release) and it.member == name and bool(it.queues)
    )
    left_ms, leave = log.left(name)
    assert isinstance(release, Release)
    rows = [ReleaseRef(*queue(), 2, None, 5), ReleaseRef(*queue(1), 3, None, None)]
    assert ("guard", rows) == (release.by, list(release.queues))
    assert (release.incarnation, False) == (leave.incarnation, leave.temporary)
    assert released_ms <= left_ms
    return released_ms


@pytest.mark.parametrize("client", ["confluent", "kafka-python"])
def test_a_member_that_is_killed_is_spoken_for(start: Start, log: Log, client: Client) -> None:
    """Long before its session is over: each queue goes to its next, and then it has left."""
    worker = start("m", guard=True, client=client)
    await_guard(worker.pid)
    killed_ms = time.time_ns() // 1_000_000
    worker.kill()
    released_ms = expect_release(log, "m")

    print(f"released {released_ms - killed_ms} ms after the kill")  # noqa: T201 - for `pytest -s`
    assert killed_ms <= released_ms < killed_ms + AT_ONCE_S * 1_000


@pytest.mark.parametrize(
    ("death", "code"),
    [
        ("kill", 128 + signal.SIGKILL),
        ("segfault", 128 + signal.SIGSEGV),
        ("abort", 128 + signal.SIGABRT),
        ("fork", 128 + signal.SIGKILL),
    ],
)
def test_whatever_a_command_dies_of_its_members_are_spoken_for(
    start: Start, log: Log, death: str, code: int
) -> None:
    """Both that it has; and when the supervisor has ended with its code, all is in the log."""
    command = start("m", "n", by=SUPERVISED, death=death)
    assert [True, True] == [log.join(name).guarded for name in "mn"]
    await_guard(command.pid, members=2)
    killed_ms = time.time_ns() // 1_000_000
    command.send_signal(signal.SIGUSR1)
    assert code == command.wait(PATIENCE_S)
    ended_ms = time.time_ns() // 1_000_000
    released_ms = [expect_release(log, name) for name in "mn"]

    print(f"released {[it - killed_ms for it in released_ms]} ms after the signal")  # noqa: T201 - for `pytest -s`
    assert all(it <= ended_ms < killed_ms + AT_ONCE_S * 1_000 for it in released_ms)


def test_a_member_without_the_sdk_is_spoken_for(
    kafka: EmbeddedKafka, topics_prefix: str, log: Log
) -> None:
    """All that it needs are a socket and a few lines of JSON."""
    command = [*SUPERVISED, sys.executable, "-IS", stranger.__file__]
    post = {"servers": kafka.bootstrap_servers, "prefix": topics_prefix, "group": GROUP}
    queues = {"queues": [{"topic": "orders", "queues": [[0, 2, 5], [1, 3, None]]}]}
    held = {"member": "m", "incarnation": MINE, "queues": queues}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([(post, held)]).encode() + b"\n\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"held\n"
        (worker,) = commands(process.pid)
        os.kill(worker, signal.SIGKILL)
        assert 128 + signal.SIGKILL == process.wait(PATIENCE_S)

    assert expect_release(log, "m")


def test_its_guard_is_silent_while_it_lives(start: Start, log: Log) -> None:
    """Also if it stands still: it may go on at any time."""
    command = start("m", by=SUPERVISED)
    await_guard(command.pid)
    (worker,) = commands(command.pid)
    os.kill(worker, signal.SIGSTOP)
    log.read_for(SILENT_S)

    assert [] == log.last_words()


def test_a_member_whose_guard_is_killed_goes_on(start: Start, log: Log) -> None:
    """It works and beats on; nobody speaks for it any more but itself."""
    command = start("m", by=SUPERVISED, spoken_for=False)
    os.kill(guard_of(command.pid), signal.SIGKILL)
    epoch = 4
    log.order("m", epoch, (0, 2, 6))
    log.find(Beat, lambda it: isinstance(it, Beat) and it.epoch == epoch)
    assert [] == log.last_words()
    command.terminate()  # Python ends at once, as it does without a handler

    assert 128 + signal.SIGTERM == command.wait(PATIENCE_S)
    log.read_for(SILENT_S)
    assert [] == log.last_words()
