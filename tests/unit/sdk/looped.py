"""Consumers on an event loop that is watched, and that have nothing to read."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from tests.builders.event_loop import queued_s, run_watched
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from trimtab import AsyncConsumer

SOON_S: Final = 15.0
"""Of each end: nobody answers, so commits take their four seconds; there is no wait of 30 s."""


def a_consumer(
    kafka: MemoryTransport,
    servers: str = "127.0.0.1:1",
    **options: Any,  # noqa: ANN401 - as of it
) -> AsyncConsumer:
    """A consumer that has nothing to read."""
    return AsyncConsumer(
        servers,
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        kafka={"log_level": 0},
        **options,
    )


def run(play: Callable[[], Awaitable[None]]) -> None:
    """Run a program; its loop runs all the time, and it ends soon."""
    began, queued = time.monotonic(), queued_s()
    try:
        run_watched(play)
    finally:
        assert time.monotonic() - began - (queued_s() - queued) < SOON_S
