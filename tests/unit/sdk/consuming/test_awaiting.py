"""A loop on an event loop, where most steps await nothing: what it promises all the same."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from confluent_kafka import Message

from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab.consuming.awaiting import Awaiting, Loop
from trimtab.consuming.offload import Offload
from trimtab.consuming.taking import Taking

Messages = AsyncIterator[Message]
Play = Callable[[Callable[[], Messages]], Awaitable[None]]


@pytest.fixture
def reading() -> InMemory:
    """Ten messages wait."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(10))
    reading.taking = Taking(reading.intake, lambda: reading.intake.over)
    return reading


def run(reading: InMemory, play: Play) -> None:
    """Run a program that begins loops."""

    async def whole() -> None:
        offload = Offload(reading.taking)
        loop = Loop(Awaiting(reading.taking, offload))
        try:
            await play(lambda: aiter(loop))
        finally:
            reading.intake.stop()
            await offload.end(bool)

    asyncio.run(whole())


async def taken(messages: Messages, count: int = 1) -> list[int]:
    """Take so many, and leave the loop in the midst of the last one."""
    found = list[int]()
    async for message in messages:
        found.append(message.offset() or 0)
        if len(found) == count:
            break
    return found


def position(reading: InMemory) -> int:
    """What would be committed."""
    (at,) = reading.intake.positions([*reading.intake.readings.values()]).values()
    return at


def test_a_message_is_done_when_the_loop_comes_back(reading: InMemory) -> None:
    """And not when it is handed out."""
    seen = list[tuple[int, int]]()

    async def play(begun: Callable[[], Messages]) -> None:
        async for message in begun():
            seen.append((message.offset() or 0, position(reading)))
            if len(seen) == 10:
                reading.intake.stop()
        seen.append((10, position(reading)))

    run(reading, play)

    assert [(at, at) for at in range(11)] == seen


def test_a_loop_begins_with_what_the_one_before_was_left_with(reading: InMemory) -> None:
    """Also if the program keeps what `aiter` gave it."""
    seen = list[list[int]]()

    async def play(begun: Callable[[], Messages]) -> None:
        loop = begun()
        seen.extend([await taken(it, 3) for it in (loop, loop, begun())])

    run(reading, play)

    assert [[0, 1, 2], [2, 3, 4], [4, 5, 6]] == seen


def test_another_task_is_refused_while_one_has_something_in_hand(reading: InMemory) -> None:
    """It would say that the message is done, and the next one is at hand; the first one goes on."""
    seen = list[int]()

    async def play(begun: Callable[[], Messages]) -> None:
        loop = begun()

        async def other() -> None:
            await anext(loop)

        for _ in range(3):
            seen.append((await anext(loop)).offset() or 0)
            with pytest.raises(RuntimeError, match="one task at a time"):
                await asyncio.create_task(other())
            seen.append(position(reading))

    run(reading, play)

    assert [0, 0, 1, 1, 2, 2] == seen


def test_another_task_is_refused_while_one_waits(reading: InMemory) -> None:
    """By its name, and the one that waits goes on."""
    seen = list[int]()

    async def play(begun: Callable[[], Messages]) -> None:
        loop = begun()
        waiting = asyncio.create_task(taken(loop, 11))
        await asyncio.sleep(0.05)
        with pytest.raises(RuntimeError, match="one task at a time"):
            await anext(loop)
        reading.offer(10)
        seen.extend(await asyncio.wait_for(waiting, 5.0))

    run(reading, play)

    assert [*range(11)] == seen


def test_a_loop_of_another_task_ends_the_first_one_when_that_comes_back(reading: InMemory) -> None:
    """What the first one was left with is in the other's hand."""
    seen = list[object]()

    async def play(begun: Callable[[], Messages]) -> None:
        async def other() -> None:
            async for message in begun():
                seen.append(message.offset())
                await asyncio.sleep(0.1)
                if message.offset() == 4:
                    break

        loop = begun()
        seen.extend([(await anext(loop)).offset() for _ in range(4)])
        task = asyncio.create_task(other())
        await asyncio.sleep(0.05)
        with pytest.raises(RuntimeError, match="one task at a time"):
            await anext(loop)
        seen.append(position(reading))
        await task

    run(reading, play)

    assert [0, 1, 2, 3, 3, 3, 4] == seen


def test_what_is_polled_within_a_loop_is_done_when_that_comes_back(reading: InMemory) -> None:
    """And the loop is a loop still: it begins anew with what it is left with."""
    seen = list[object]()

    async def play(begun: Callable[[], Messages]) -> None:
        async for message in begun():
            seen.append(message.offset())
            if message.offset() == 1:
                reading.taking.poll()
                polled = reading.taking.at_hand()
                assert polled is not None
                seen.append(polled.offset())
            if message.offset() == 4:
                break
        seen.extend(await taken(begun(), 2))

    run(reading, play)

    assert [0, 1, 2, 3, 4, 4, 5] == seen


@pytest.mark.parametrize("left", [0, 3])
def test_who_is_cancelled_while_it_waits_loses_nothing(reading: InMemory, left: int) -> None:
    """It gets no message, and whoever asks next gets it; also from an iterator that was kept."""
    reading.kafka.messages = reading.kafka.messages[:left]
    seen = list[list[int]]()

    async def play(begun: Callable[[], Messages]) -> None:
        loop = begun()
        seen.append(await taken(loop, left) if left else [])
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.02):
                    await anext(loop)
        reading.offer(*range(left, 5))
        seen.append([(await anext(loop)).offset() or 0 for _ in range(left, 5)])

    run(reading, play)

    assert [[*range(left)], [*range(left, 5)]] == seen


def test_other_tasks_run_though_messages_are_at_hand(
    reading: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handler need not await anything."""
    monkeypatch.setattr("trimtab.consuming.awaiting._BREATH_S", 0.0)
    turns, seen = list[int](), list[int]()

    async def play(begun: Callable[[], Messages]) -> None:
        async def other() -> None:
            while True:
                turns.append(1)
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        seen.extend(await taken(begun(), 10))
        task.cancel()

    run(reading, play)

    assert [*range(10)] == seen
    assert len(turns) >= 10


@pytest.mark.parametrize("at", [0, 4])
def test_what_is_lost_is_not_handed_out_though_it_is_at_hand(reading: InMemory, at: int) -> None:
    """The next step sees it, as that of any other loop."""
    seen = list[object]()

    async def play(begun: Callable[[], Messages]) -> None:
        async for message in begun():
            seen.append(message.offset())
            if message.offset() == at:
                (grant,) = reading.owned
                reading.lose(grant)
                reading.intake.stop()

    run(reading, play)

    assert [*range(at + 1)] == seen
