"""Which task takes messages: one at a time, from when it waits until it is done with them."""

import asyncio
import time

import pytest

from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab.consuming.offload import Offload


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
