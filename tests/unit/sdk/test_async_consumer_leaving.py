"""How the block of a consumer on an event loop ends: told to, by signals, cancelled, by errors."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from tests.builders.application import WAIT_S, records, released_queues, until
from tests.builders.event_loop import comes
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import queue
from tests.unit.sdk.looped import a_consumer, run
from trimtab import AsyncConsumer, ConfigurationError, StuckError
from trimtab.protocol import Leave


@pytest.fixture
def kafka() -> MemoryTransport:
    """What the member speaks to."""
    return MemoryTransport()


def test_stop_ends_the_loop(kafka: MemoryTransport) -> None:
    """It leaves, and nobody waits for heirs."""

    async def play() -> None:
        async with a_consumer(kafka) as consumer:
            asyncio.get_running_loop().call_later(0.2, consumer.stop)
            assert [] == [it async for it in consumer]
            assert (None, False) == (await consumer.poll("5s"), consumer.running)
            assert [] == [it async for it in consumer.batches()]

    run(play)

    assert 1 == len(records(kafka, Leave))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_loop(kafka: MemoryTransport, number: signal.Signals) -> None:
    """Also Ctrl-C, of which `asyncio.run` makes something else when there is no block."""

    async def play() -> None:
        before = signal.getsignal(number)
        async with a_consumer(kafka) as consumer:
            during = signal.getsignal(number)
            timer = threading.Timer(0.2, os.kill, [os.getpid(), number])
            timer.start()
            assert [] == [it async for it in consumer]
            after = signal.getsignal(number)
        assert (True, before, before) == (during != before, after, signal.getsignal(number))

    run(play)

    assert 1 == len(records(kafka, Leave))


@pytest.mark.slow
def test_a_task_that_is_cancelled_leaves_at_once(kafka: MemoryTransport) -> None:
    """Its queues are released, whatever Kafka says to a commit."""

    async def work(owns: asyncio.Event) -> None:
        async with a_consumer(kafka) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            await comes(lambda: consumer.assignment)
            owns.set()
            async for _ in consumer:
                pass

    async def play() -> None:
        owns = asyncio.Event()
        task = asyncio.create_task(work(owns))
        await asyncio.wait_for(owns.wait(), 20.0)
        await asyncio.sleep(0.1)  # it waits for a message
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(play)

    assert ([queue()], 1) == (released_queues(kafka), len(records(kafka, Leave)))


@pytest.mark.slow
def test_a_task_that_is_cancelled_leaves_though_its_thread_hangs_in_the_client(
    kafka: MemoryTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a deserializer: its queues go to others, and the block and the process end.

    Also if a callback asks for something, which waits for what was taken to be put back.
    """
    monkeypatch.setattr("trimtab.consuming.fair_lock.HUNG_S", 0.2)
    hang, told, came_back = threading.Event(), list[str](), list[bool]()

    def hanging(*_: object) -> list[object]:
        came_back.append(hang.wait(WAIT_S))
        return []

    async def work(consumer: AsyncConsumer) -> None:
        async with consumer:
            kafka.assign(1, hold=[(0, 1)])
            await comes(lambda: consumer.assignment)
            await consumer.poll("1h")

    async def play() -> None:
        async def on_revoked(_: object) -> None:
            with suppress(StuckError):
                await consumer.lag()
            told.append("revoked")

        consumer = a_consumer(kafka, on_revoked=on_revoked)
        intake = consumer._parts.intake  # noqa: SLF001 - a real client calls the application's code
        monkeypatch.setattr(intake.client, "take", hanging)
        task = asyncio.create_task(work(consumer))
        await comes(lambda: intake.in_client)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(play)
    released, still_hangs = released_queues(kafka), not came_back
    hang.set()

    assert ([queue()], ["revoked"], True) == (released, told, still_hangs)


def test_a_task_that_is_cancelled_while_it_enters_leaves_as_well(kafka: MemoryTransport) -> None:
    """Nobody else would."""
    began = threading.active_count()

    async def work() -> None:
        async with a_consumer(kafka):
            raise AssertionError

    async def play() -> None:
        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(play)

    until(lambda: threading.active_count() <= began)


def test_a_task_that_is_cancelled_twice_leaves_as_well(kafka: MemoryTransport) -> None:
    """Nobody waits for the end then, and it comes."""
    began = threading.active_count()

    async def work() -> None:
        async with a_consumer(kafka) as consumer:
            await consumer.poll("1h")

    async def play() -> None:
        task = asyncio.create_task(work())
        await asyncio.sleep(0.2)
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        await comes(lambda: kafka.closed)

    run(play)

    until(lambda: threading.active_count() <= began)


@pytest.mark.slow
def test_an_error_in_the_loop_leaves_at_once_and_is_raised(kafka: MemoryTransport) -> None:
    """As of the threaded one."""

    async def play() -> None:
        async with a_consumer(kafka) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            await comes(lambda: consumer.assignment)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(play)

    assert [queue()] == released_queues(kafka)


def test_after_its_block_it_has_no_more_messages(kafka: MemoryTransport) -> None:
    """For a task that comes back later than the block has ended."""

    async def play() -> None:
        async with a_consumer(kafka) as consumer:
            pass
        assert (None, []) == (await consumer.poll(), [it async for it in consumer])
        before = signal.getsignal(signal.SIGTERM)
        with pytest.raises(ConfigurationError, match=r"^start: a consumer cannot be started twice"):
            await consumer.__aenter__()
        assert before == signal.getsignal(signal.SIGTERM)

    run(play)


def test_a_program_ends_though_its_block_was_not_left() -> None:
    """Its event loop has ended without cancelling the task; the thread that takes would wait on."""
    program = (
        "import asyncio\n"
        "from tests.builders.memory import MemoryTransport\n"
        "from tests.unit.sdk.looped import a_consumer\n"
        "async def read():\n"
        "    async with a_consumer(MemoryTransport()) as consumer:\n"
        "        print('reads', flush=True)\n"
        "        await anext(consumer)\n"
        "loop = asyncio.new_event_loop()\n"
        "task = loop.create_task(read())\n"
        "loop.run_until_complete(asyncio.sleep(1))\n"
        "print('ends')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=WAIT_S
    )

    assert ["reads", "ends"] == done.stdout.splitlines()
