"""A consumer on an event loop: what it tells and takes, and that it stops nobody else."""

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from tests.builders.application import released_queues
from tests.builders.event_loop import comes
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import a_release, queue
from tests.unit.sdk.looped import a_consumer, run
from trimtab import CallbackError, CommitError, ConfigurationError, Grant, StuckError


@pytest.fixture
def kafka() -> MemoryTransport:
    """What the member speaks to."""
    return MemoryTransport()


@pytest.fixture
def hung() -> Iterator[str]:
    """The address of a Kafka that takes connections, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.slow
def test_callbacks_run_on_the_loop_and_may_be_coroutines(kafka: MemoryTransport) -> None:
    """A hand-over waits for them, and the loop for nothing."""
    heard: list[tuple[str, int, object]] = []

    def on_assigned(grants: tuple[Grant, ...]) -> None:
        heard.append(("assigned", threading.get_ident(), grants))

    async def on_revoked(grants: tuple[Grant, ...]) -> None:
        await asyncio.sleep(0.05)
        heard.append(("revoked", threading.get_ident(), grants))

    async def play() -> None:
        async with a_consumer(kafka, on_assigned=on_assigned, on_revoked=on_revoked) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            await comes(lambda: heard)
            kafka.assign(2, give=[(0, 1)])
            await comes(lambda: released_queues(kafka))
            assert ("joined", ()) == (consumer.health.state, consumer.assignment)

    run(play)

    here, grants = threading.get_ident(), (Grant(queue(), 1),)
    assert [("assigned", here, grants), ("revoked", here, grants)] == heard


@pytest.mark.slow
def test_a_callback_may_await_the_consumer(kafka: MemoryTransport) -> None:
    """Also while the block is left: it is the last time to commit."""
    heard: list[str] = []

    async def play() -> None:
        async def on_revoked(_: tuple[Grant, ...]) -> None:
            await consumer.resume(queue())
            heard.append("revoked")

        consumer = a_consumer(kafka, on_revoked=on_revoked)
        async with consumer:
            kafka.assign(1, hold=[(0, 1)])
            await comes(lambda: consumer.assignment)

    run(play)

    assert ["revoked"] == heard


def test_a_member_that_fails_ends_the_loop_with_its_failure(kafka: MemoryTransport) -> None:
    """An exit code of 0 would hide it."""

    async def fail(_: object) -> None:
        raise LookupError

    async def play() -> None:
        async with a_consumer(kafka, on_assigned=fail) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            async for _ in consumer:
                pass

    with pytest.raises(CallbackError):
        run(play)


@pytest.mark.slow
def test_a_task_that_is_stuck_gives_its_queues_up(kafka: MemoryTransport) -> None:
    """Other tasks hear of it meanwhile."""
    told: list[Exception] = []

    async def on_error(error: Exception) -> None:
        told.append(error)

    async def play() -> None:
        async with a_consumer(kafka, max_poll_interval="300ms", on_error=on_error) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            while not consumer.assignment:  # until then the task comes back
                await consumer.poll(0.01)
            await comes(lambda: released_queues(kafka))
            assert not consumer.health.ready
            await consumer.poll(0)

    with pytest.raises(StuckError, match="has not come back for"):
        run(play)

    assert [StuckError] == [type(it) for it in told if isinstance(it, StuckError)]


def test_one_task_at_a_time_takes_messages(kafka: MemoryTransport) -> None:
    """What the other has in hand would be taken for done; a wait that was cancelled is over."""

    async def play() -> None:
        async with a_consumer(kafka) as consumer:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(consumer.poll("1h"), 0.05)
            first = asyncio.create_task(consumer.poll(0.2))
            await asyncio.sleep(0.05)
            with pytest.raises(RuntimeError, match="one task at a time"):
                await consumer.poll(0)
            assert (None, None) == (await first, await consumer.poll(0))

    run(play)


def test_a_callback_that_cannot_be_called_is_refused(kafka: MemoryTransport) -> None:
    """When the consumer is made."""
    with pytest.raises(ConfigurationError, match=r"^on_revoked: .* cannot be called"):
        a_consumer(kafka, on_revoked="later")


@pytest.mark.slow
def test_the_event_loop_runs_though_kafka_hangs(kafka: MemoryTransport, hung: str) -> None:
    """While it polls, pauses, commits, hands over and leaves."""

    async def play() -> None:
        async with a_consumer(kafka, hung) as consumer:
            kafka.assign(2, hold=[(1, 1)], inherit=[(0, 2, "a", 1)])
            kafka.release(a_release("a", (0, 1, 42, 2)))
            await comes(lambda: len(consumer.assignment) == 2)
            await consumer.poll(0.1)
            await consumer.pause(queue(0))
            await consumer.seek(queue(0), 44)
            with pytest.raises(CommitError):
                await consumer.commit()
            kafka.assign(3, hold=[(1, 1)], give=[(0, 2)])
            while not released_queues(kafka):
                await consumer.poll(0.1)

    run(play)
