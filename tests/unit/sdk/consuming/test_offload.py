"""Which task takes messages: one at a time, from when it waits until it is done with them."""

import asyncio
import threading
import time
from asyncio import timeout
from typing import TYPE_CHECKING

import pytest

from tests.builders.application import WAIT_S
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab.consuming.offload import Offload
from trimtab.errors import StuckError

if TYPE_CHECKING:
    from confluent_kafka import Message


def test_another_task_waits_until_the_first_one_has_nothing_in_hand() -> None:
    """What that one works on would be taken for done, and committed."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0, 1)
    taking, offload = reading.taking, Offload(reading.taking)
    seen = list[object]()

    async def take() -> int | None:
        offload.enter()
        taking.poll()
        message = await offload.take(lambda: taking.next(time.monotonic() + 1))
        return None if message is None else message.offset()

    async def first() -> None:
        seen.append(await take())
        await asyncio.sleep(0.1)

    async def play() -> None:
        one = asyncio.create_task(first())
        await asyncio.sleep(0.05)
        with pytest.raises(RuntimeError, match="one task at a time"):
            await take()
        position = reading.intake.positions([*reading.intake.readings.values()])
        seen.extend(position.values())
        await one
        seen.append(await take())
        await offload.end(bool)

    asyncio.run(play())

    assert [0, 0, 1] == seen


def test_who_was_cancelled_keeps_no_other_waiting() -> None:
    """It had come back for more, so nothing of its own is in hand, and what came waits again."""
    reading = InMemory()
    reading.grant(1)
    taking, offload = reading.taking, Offload(reading.taking)

    async def take(seconds: float) -> int | None:
        offload.enter()
        taking.poll()
        message = await offload.take(lambda: taking.next(time.monotonic() + seconds))
        return None if message is None else message.offset()

    async def play() -> int | None:
        async def give_up() -> None:
            with pytest.raises(TimeoutError):
                async with timeout(0.05):
                    await take(60)
            await asyncio.sleep(5)

        one = asyncio.create_task(give_up())
        await asyncio.sleep(0.1)
        reading.offer(0)
        found = await take(1)
        one.cancel()
        await offload.end(bool)
        return found

    assert 0 == asyncio.run(play())


def test_a_loop_of_another_task_begins_with_what_one_was_left_with() -> None:
    """The first task lives, and waits for the second; if it comes back, it is refused."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0, 1)
    taking, offload = reading.taking, Offload(reading.taking)

    async def take() -> int | None:
        offload.enter()
        taking.in_loop = False
        message = await offload.take(lambda: taking.next(time.monotonic() + 1))
        taking.in_loop = True
        return None if message is None else message.offset()

    async def loop() -> int | None:
        offload.begin()
        taking.begin()
        return await take()

    async def play() -> list[int | None]:
        async def first() -> list[int | None]:
            found = [await loop()]
            second = asyncio.create_task(another())
            await asyncio.sleep(0.05)
            with pytest.raises(RuntimeError, match="one task at a time"):
                await take()
            return [*found, await second]

        async def another() -> int | None:
            found = await loop()
            await asyncio.sleep(0.2)
            return found

        found = await first()
        await offload.end(bool)
        return found

    assert [0, 0] == asyncio.run(play())


@pytest.mark.slow
def test_who_asks_for_something_is_told_that_the_one_that_was_cancelled_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the client, so what it takes cannot be put back; once it comes back, all goes on."""
    monkeypatch.setattr("trimtab.consuming.fair_lock.HUNG_S", 0.2)
    reading, hang = InMemory(), threading.Event()
    reading.grant(1)
    reading.offer(0)
    taking, offload = reading.taking, Offload(reading.taking)
    takes = reading.intake.client.take

    def hanging(most: int, timeout_s: float) -> "list[Message]":
        hang.wait(WAIT_S)
        return takes(most, timeout_s)

    monkeypatch.setattr(reading.intake.client, "take", hanging)

    async def take(seconds: float) -> int | None:
        offload.enter()
        taking.poll()
        message = await offload.take(lambda: taking.next(time.monotonic() + seconds))
        return None if message is None else message.offset()

    async def play() -> int | None:
        with pytest.raises(TimeoutError):
            async with timeout(0.1):
                await take(60)
        reading.intake.turn.limit()
        for ask in (offload.beside(bool), take(1), offload.beside(bool)):
            with pytest.raises(StuckError):
                async with timeout(WAIT_S / 2):
                    await ask
        hang.set()
        await offload.beside(bool)
        found = await take(1)
        await offload.end(bool)
        return found

    assert 0 == asyncio.run(play())
