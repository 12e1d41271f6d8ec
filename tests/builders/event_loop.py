"""An event loop that is watched: whoever stops it for long is found out."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

PATIENCE_S: Final = 15.0
STALL_S: Final = 1.0
"""One question to Kafka takes two seconds at most, a commit as long; the machine may pause, too."""


@asynccontextmanager
async def watched() -> AsyncIterator[None]:
    """The event loop runs all the time."""
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            longest = max(longest, time.monotonic() - before)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        assert longest < STALL_S


async def comes(condition: Callable[[], object]) -> None:
    """Wait until other threads have brought something about."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - they know no event of this loop
            await asyncio.sleep(0.005)


def run_watched(play: Callable[[], Awaitable[None]]) -> None:
    """Run a program, and watch its loop."""

    async def main() -> None:
        async with watched():
            await play()

    asyncio.run(main())
