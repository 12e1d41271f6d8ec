"""What consumers in Java are not let do, and how their loops end: real clients."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import pytest
from confluent_kafka import Producer, TopicPartition

from bench.rocketmq.programs import FIVE
from tests.integration.accounts import Account
from tests.integration.conftest import QUEUES
from tests.integration.controller_process import ControllerProcess
from tests.integration.java_process import PATIENCE_S, JavaProcess
from tests.integration.java_programs import java
from tests.integration.published import Published
from tests.integration.readings import commit_at, committed
from trimtab import QueueRef

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

REFUSED: Final = {
    "push-twice": "IllegalStateException Trimtab.attach: the consumer is attached already",
    "push-late": "IllegalStateException Trimtab.attach: the consumer was started before",
    "lite-twice": "IllegalStateException Trimtab.attach: the consumer is attached already",
    "pull-twice": "IllegalStateException Trimtab.attach: the consumer is attached already",
    "producer-twice": "IllegalStateException TrimtabProducer.attach: the producer is attached",
    "topic-twice": "IllegalArgumentException topics: one is named twice: [a, b, a]",
    "topic-odd": 'IllegalArgumentException topics: "bad topic!" is no topic of Kafka\'s: ',
    "topic-none": "IllegalArgumentException topics: name at least one",
    "session-none": "IllegalArgumentException sessionTimeout: PT0S is too short: PT0.1S at least",
    "revocation-none": "IllegalArgumentException revocationTimeout: PT0S is too short: ",
    "session-long": "IllegalArgumentException sessionTimeout: PT25H is too long: PT24H at most",
    "topic-dot": 'IllegalArgumentException topics: "." is no topic of Kafka\'s: ',
    "topics-many": "IllegalArgumentException topics: these are 1001, and a member may have 1000",
    "topics-none": "IllegalArgumentException topics: name at least one",
    "member-empty": 'IllegalArgumentException memberId: "" is no name: 1 to 255 characters',
    "member-long": 'IllegalArgumentException memberId: "mmm',
    "member-odd": 'IllegalArgumentException memberId: "m',
    "position-none": "IllegalArgumentException finish: -1 is no position of a-0: 0 at least",
    "instance-empty": 'IllegalArgumentException instance: "" is no name: ',
    "group-ours": 'IllegalArgumentException group: "$tick" is a name of the controller\'s own: ',
    "reporter-empty": 'IllegalArgumentException reporter: "" is no name: 1 to 255 characters',
    "report-long": "IllegalArgumentException reportEvery: at most 10000 ms: the controller counts",
    "cluster-long": 'IllegalArgumentException cluster: "ccc',
    "cluster-ours": 'IllegalArgumentException cluster: "$tick" is a name of the controller',
    "kafka-null": "IllegalArgumentException kafka: client.id is given as null: leave it out",
    "guard-null": "IllegalArgumentException guardKafka: client.id is given as null: leave it out",
    "fetch-null": "IllegalArgumentException fetch: max.poll.records is given as null: leave it out",
}
SOON_S: Final = 8.0
"""Less than a session of silence."""
AT_WORK_S: Final = 10.0
"""Longer than a JVM takes to start and to join."""
FROZEN_S: Final = 7.0
"""More than a loop may stay away, and less than a session."""
HANDED_S: Final = 25.0
"""Less than is waited for commits by hand (30 s); enough for a JVM to start and to join."""


def test_mistakes_are_refused_when_they_are_made() -> None:
    """Two owners, or a wait for ever, would come of them."""
    done = subprocess.run(
        java("Mistakes", FIVE), capture_output=True, text=True, timeout=120, check=False
    )
    said = dict(it.split(" ", 1) for it in done.stdout.splitlines() if it.split(" ")[0] in REFUSED)

    assert REFUSED.keys() == said.keys(), done.stderr[-2_000:]
    assert [] == [it for it, why in REFUSED.items() if not said[it].startswith(why)]


@pytest.fixture
def start(
    controller: ControllerProcess, group: str, topic: str, tmp_path: Path
) -> Iterator[Callable[..., JavaProcess]]:
    """Starts consumers of Kafka in Java."""
    with ExitStack() as stack:

        def started(name: str, *options: str, logs: bool = False) -> JavaProcess:
            where = [controller.servers, controller.prefix, group, topic, name]
            program, *rest = java("KafkaWorker")
            loud = ["-Dtrimtab.checks.log=true"] if logs else []
            command = [program, *loud, *rest, *where, *options]
            return stack.enter_context(JavaProcess(tmp_path / name, command))

        yield started


def take(worker: JavaProcess, count: int) -> None:
    """Have it take so many messages, and commit them."""
    worker.tell(f"take {count}")
    worker.tell("commit")
    worker.wait_for(" committed true")


def hand_over(start: Callable[..., JavaProcess]) -> None:
    """Have another one join, and get queues."""
    second = start("b", "commit=manual")
    second.tell("idle 60000")
    second.wait_for(" granted ")


def test_what_is_committed_beyond_the_end_of_a_log_is_written_over(
    account: Account, start: Callable[..., JavaProcess], group: str
) -> None:
    """The log was longer, and will be so again: whoever began there would skip what comes."""
    account.produce(QUEUES)
    for number in range(QUEUES):
        commit_at(account.servers, group, QueueRef(account.topic, "", number), 1_000)
    take(start("a", "commit=manual"), QUEUES)
    places = [TopicPartition(account.topic, it) for it in range(QUEUES)]

    assert {1} == {committed(account.servers, group, it) for it in places}


def test_a_loop_that_is_interrupted_leaves_in_good_order(
    account: Account, start: Callable[..., JavaProcess]
) -> None:
    """As by shutdownNow(): it closes all that it has, and its process ends."""
    account.produce(QUEUES)
    worker = start("a", "commit=manual")
    take(worker, QUEUES)
    began = time.monotonic()
    worker.tell("interrupt")
    worker.wait_for("closed")

    assert 0 == worker.end()
    assert time.monotonic() - began < SOON_S


def test_what_was_sought_and_not_handed_out_is_not_waited_for(
    account: Account, start: Callable[..., JavaProcess]
) -> None:
    """By hand only what was handed out is committed: the rest would be waited for in vain."""
    account.produce(QUEUES)
    first = start("a", "commit=manual")
    take(first, QUEUES)
    for number in range(QUEUES):
        first.tell(f"pause {number}")
    account.produce(QUEUES)
    for number in range(QUEUES):
        first.tell(f"seek {number} 2")
    first.tell("idle 60000")
    began = time.monotonic()
    hand_over(start)

    assert time.monotonic() - began < HANDED_S


def test_what_was_sought_back_is_waited_for_while_it_is_in_hand(
    account: Account, start: Callable[..., JavaProcess]
) -> None:
    """Also where it had been committed once: nobody else may have it meanwhile."""
    account.produce(QUEUES)
    first = start("a", "commit=manual")
    take(first, QUEUES)
    for number in range(QUEUES):
        first.tell(f"seek {number} 0")
    first.tell(f"take {QUEUES}")
    began = time.monotonic()
    first.tell(f"sleep {int(AT_WORK_S * 1_000)}")
    first.tell("idle 60000")
    hand_over(start)

    assert time.monotonic() - began > AT_WORK_S


def test_a_listener_that_fails_with_an_error_ends_its_consumer(
    start: Callable[..., JavaProcess],
) -> None:
    """Any other end would leave it with queues that it never reads, and ready."""
    worker = start("a", "fails=yes")
    worker.tell("idle 60000")
    worker.wait_for("ConsumerFailedException")

    assert " lost " in worker.wait_for(" lost "), "it hears all the same what it has lost"


def test_a_member_whose_thread_is_interrupted_ends(start: Callable[..., JavaProcess]) -> None:
    """It would ask Kafka again and again without a rest, and never hear of anything."""
    worker = start("a")
    worker.tell("idle 3000")
    worker.tell("interrupt trimtab-member")
    worker.tell("idle 60000")
    worker.wait_for("ConsumerFailedException")


def test_a_process_that_stood_still_is_not_taken_for_stuck(
    account: Account, start: Callable[..., JavaProcess]
) -> None:
    """In the time in which nothing could run its loop could not come back."""
    account.produce(QUEUES)
    worker = start("a", "maxPoll=PT5S", "session=PT30S")
    worker.tell(f"take {QUEUES}")
    worker.wait_for(" took ")
    worker.tell(f"sleep {int(2_000 + FROZEN_S * 1_000)}")
    time.sleep(0.5)
    worker.freeze()
    time.sleep(FROZEN_S)
    worker.wake()
    account.produce(QUEUES)
    worker.tell(f"take {QUEUES}")
    worker.wait_for(" took ", 2)

    assert 0 == worker.end()


@pytest.mark.parametrize(
    ("call", "time", "of_member"),
    [("onGranted", "15 s", "onAssigned has been running for 15 s"), ("onRevoked", "2 s", "")],
)
def test_a_listener_that_hangs_is_named_and_its_consumer_not_ready(
    start: Callable[..., JavaProcess], call: str, time: str, of_member: str
) -> None:
    """Nothing else is told meanwhile, and no queue begun: it must not look healthy."""
    worker = start("a", f"hangs={call}", "revocation=PT4S", logs=True)
    worker.tell("idle 3000")
    worker.wait_for(" granted ")
    if call == "onRevoked":
        hand_over(start)
    worker.tell("idle 18000")
    said = f"{call} has been running for {time} (trimtab.checks.KafkaWorker.hang, KafkaWorker.java:"
    worker.wait_for(said)
    worker.wait_for(of_member)
    worker.tell("health")
    health = worker.wait_for(" health ")

    assert "ready=false" in health
    assert said in health


def test_a_loop_that_hangs_in_poll_gives_up_and_says_so(
    account: Account, start: Callable[..., JavaProcess], published: Published, group: str
) -> None:
    """In a deserializer, say, whose schemas do not come: others get all that it had."""
    with closing(Producer({"bootstrap.servers": account.servers})) as producer:
        producer.produce(account.topic, value=b"hanging", partition=0)
        assert 0 == producer.flush(PATIENCE_S)
    stuck = start("stuck", "maxPoll=PT2S")
    stuck.tell("take 1")
    stuck.wait_for(" hangs")
    heir = start("heir")
    heir.tell("idle 60000")
    published.wait_until(lambda: published.is_stable(group, {"heir"}, QUEUES))

    assert "maxPollInterval" in stuck.wait_for(" StuckException ")
    assert 1 == stuck.end()
