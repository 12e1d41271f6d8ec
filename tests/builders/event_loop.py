"""An event loop that is watched: whoever stops it for long is found out."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 15.0
STALL_S: Final = 1.0
"""One question to Kafka takes two seconds at most, a commit as long."""


@asynccontextmanager
async def watched() -> AsyncIterator[None]:
    """The event loop runs all the time."""
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            before, queued = time.monotonic(), queued_s()
            await asyncio.sleep(0.005)
            took = time.monotonic() - before
            if took > STALL_S:
                took -= queued_s() - queued
            longest = max(longest, took)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        assert longest < STALL_S


def queued_s() -> float:
    """How long our threads have waited for a processor: that is the machine's doing (Linux)."""
    waits = 0
    for thread in Path("/proc/self/task").glob("*/schedstat"):
        with suppress(OSError):  # it has ended
            waits += int(thread.read_text().split()[1])
    return waits / 1e9


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
