"""A consumer whose Kafka has no messages: how its loop and its block end, and how it is."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.builders.application import WAIT_S, records, released_queues, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, queue
from trimtab import CallbackError, ConfigurationError, Consumer, StuckError
from trimtab.protocol import RELEASES, Join, Leave

SERVERS = "127.0.0.1:1"
SOON_S = 15.0
"""Of each end: nobody answers, so commits take their four seconds; there is no wait of 30 s."""


@pytest.fixture
def kafka() -> MemoryTransport:
    """What the member speaks to."""
    return MemoryTransport()


def a_consumer(kafka: MemoryTransport, **options: Any) -> Consumer:  # noqa: ANN401 - as of it
    """A consumer that has nothing to read."""
    return Consumer(
        SERVERS,
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        kafka={"log_level": 0},
        **options,
    )


@contextmanager
def soon() -> Iterator[None]:
    """It ends in time."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < SOON_S


def later(action: Any, seconds: float = 0.2) -> threading.Timer:  # noqa: ANN401 - any call
    """Do something soon, from another thread."""
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


def test_stop_ends_the_loop_from_any_thread(kafka: MemoryTransport) -> None:
    """It leaves, and nobody waits for heirs."""
    with soon(), a_consumer(kafka) as consumer:
        later(consumer.stop)
        assert [] == list(consumer)
        assert (None, False) == (consumer.poll("5s"), consumer.running)
        assert [] == list(consumer.batches())

    assert 1 == len(records(kafka, Leave))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_loop(kafka: MemoryTransport, number: signal.Signals) -> None:
    """Its handler is there only as long as the block runs."""
    before = signal.getsignal(number)
    with soon(), a_consumer(kafka) as consumer:
        during = signal.getsignal(number)
        later(lambda: os.kill(os.getpid(), number))
        assert [] == list(consumer)
        after = signal.getsignal(number)

    assert (True, before, before) == (during != before, after, signal.getsignal(number))


def test_a_signal_ends_all_loops(kafka: MemoryTransport) -> None:
    """A process may have several consumers; who has left its block is not asked."""
    before = signal.getsignal(signal.SIGTERM)
    with soon(), a_consumer(kafka) as first, a_consumer(MemoryTransport()) as second:
        with a_consumer(MemoryTransport()) as gone:
            pass
        later(lambda: os.kill(os.getpid(), signal.SIGTERM))
        assert [] == [*first, *second]
        after = signal.getsignal(signal.SIGTERM)

    assert ((False, False, False), before) == ((first.running, second.running, gone.running), after)


def test_a_handler_of_the_application_stays(kafka: MemoryTransport) -> None:
    """It knows better."""
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with a_consumer(kafka) as consumer:
            os.kill(os.getpid(), signal.SIGTERM)
            assert consumer.running
    finally:
        signal.signal(signal.SIGTERM, before)

    assert [signal.SIGTERM] == heard


def test_another_thread_puts_no_handler_in_place(kafka: MemoryTransport) -> None:
    """Python would not let it."""
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []

    def run() -> None:
        with a_consumer(kafka):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(WAIT_S)

    assert [before] == seen


@pytest.mark.slow
def test_an_error_in_the_loop_leaves_at_once_and_is_raised(kafka: MemoryTransport) -> None:
    """Its queues are released, whatever Kafka says to a commit."""

    def work() -> None:
        with a_consumer(kafka) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            until(lambda: consumer.assignment)
            raise ZeroDivisionError

    with soon(), pytest.raises(ZeroDivisionError):
        work()

    assert [queue()] == released_queues(kafka)


def test_a_member_that_fails_ends_the_loop_with_its_failure(kafka: MemoryTransport) -> None:
    """An exit code of 0 would hide it."""

    def fail(_: object) -> None:
        raise LookupError

    def work() -> None:
        with a_consumer(kafka, on_assigned=fail) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            for _ in consumer:
                pass

    with soon(), pytest.raises(CallbackError):
        work()


@pytest.mark.slow
def test_a_loop_that_is_stuck_gives_its_queues_up(kafka: MemoryTransport) -> None:
    """It says so, others go on, and the loop ends with an error when it comes back."""
    told: list[Exception] = []
    consumer = a_consumer(kafka, max_poll_interval="300ms", on_error=told.append)

    def work() -> None:
        with consumer:
            kafka.assign(1, hold=[(0, 1)])
            until(lambda: released_queues(kafka))
            assert not consumer.health.ready
            consumer.poll(0)

    with soon(), pytest.raises(StuckError, match="has not come back for"):
        work()

    assert [StuckError] == [type(it) for it in told if isinstance(it, StuckError)]


@pytest.mark.slow
def test_its_health_says_how_it_is(kafka: MemoryTransport) -> None:
    """For probes: ready once it has its place in the group."""
    consumer = a_consumer(kafka)
    with consumer:
        before = consumer.health
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: consumer.health.ready)
        during = consumer.health
    after = consumer.health

    assert (False, ()) == (before.ready, before.queues)
    assert ("joined", (queue(),)) == (during.state, during.queues)
    assert 0 <= during.since_poll < SOON_S
    assert (False, "ended") == (after.ready, after.state)


def test_trouble_is_logged_where_nobody_else_is_told(
    kafka: MemoryTransport, caplog: pytest.LogCaptureFixture
) -> None:
    """As of a member, and once."""
    consumer = a_consumer(kafka)
    with consumer:
        until(lambda: records(kafka, Join))
        kafka.publish(RELEASES.name, GROUP.encode(), None)  # a tombstone is no trouble
        kafka.publish(RELEASES.name, GROUP.encode(), b"garbage")
        until(lambda: consumer.health.last_error)

    assert 1 == len([it for it in caplog.messages if it.startswith("garbage: ")])
    assert [] == [it for it in caplog.messages if it.startswith("null_value: ")]


def test_who_is_told_of_trouble_logs_it(
    kafka: MemoryTransport, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not in the log of ours, too."""
    told: list[Exception] = []
    with a_consumer(kafka, on_error=told.append):
        until(lambda: records(kafka, Join))
        kafka.publish(RELEASES.name, GROUP.encode(), b"garbage")
        until(lambda: told)

    assert [] == [it for it in caplog.messages if it.startswith("garbage: ")]


@pytest.mark.slow
def test_only_what_it_owns_is_sought(kafka: MemoryTransport) -> None:
    """What is not owned is an error, and for a pause it is nothing."""
    consumer = a_consumer(kafka)
    with consumer:
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: consumer.assignment)
        consumer.seek(queue(), 3)
        consumer.pause(queue(), queue(1))
        with pytest.raises(KeyError):
            consumer.seek(queue(1), 3)

    assert consumer.member.failure is None


def test_what_it_is_told_of_is_sought(kafka: MemoryTransport) -> None:
    """From `on_assigned` on, also if it has lost the queue before it could be told."""

    def seek(_: object) -> None:
        until(lambda: not consumer.assignment)
        consumer.seek(queue(), 3)

    consumer = a_consumer(kafka, on_assigned=seek)
    with consumer:
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: consumer.assignment)
    with pytest.raises(KeyError):
        consumer.seek(queue(), 3)

    assert consumer.member.failure is None


def test_other_topics_are_asked_for_while_it_runs(kafka: MemoryTransport) -> None:
    """Before it is connected, and after that; a wish that nobody would take is refused."""
    consumer = a_consumer(kafka)
    consumer.subscribe(["payments"])
    with consumer:
        until(lambda: records(kafka, Join))
        kafka.assign(1)
        until(lambda: consumer.health.ready)
        consumer.subscribe(patterns=["refunds-*"])
        with pytest.raises(ConfigurationError, match=r"^topics: "):
            consumer.subscribe("orders")
        until(lambda: len(records(kafka, Join)) == 2)

    wishes = [(it.topics, it.patterns) for it in records(kafka, Join)]
    assert [(("payments",), None), ((), ("refunds-*",))] == wishes


@pytest.mark.slow
def test_a_stop_may_be_temporary(kafka: MemoryTransport) -> None:
    """Who comes back under its instance gets the same queues, and nothing has moved."""
    with a_consumer(kafka, instance="one") as consumer:
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: consumer.assignment)
        consumer.stop(temporary=True)
        assert [] == list(consumer)

    assert [True] == [it.temporary for it in records(kafka, Leave)]
    with pytest.raises(ConfigurationError, match=r"^temporary: only a member with an instance"):
        a_consumer(kafka).stop(temporary=True)


def test_the_sdk_can_be_imported_without_a_client() -> None:
    """And then a consumer says what to install."""
    program = (
        "import sys; sys.modules['confluent_kafka'] = sys.modules['kafka'] = None\n"
        "import trimtab\n"
        "from tests.builders.memory import MemoryTransport\n"
        "try:\n"
        "    trimtab.Consumer('x:1', group='g', topics=['t'], transport=MemoryTransport())\n"
        "except trimtab.ConfigurationError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)

    assert "pip install confluent-kafka" in done.stdout, done.stderr
