"""An application that records its callbacks, and how to wait for them.

Shared by the tests of a member with its threads. Its one rule: it waits for conditions, and never
for time to pass.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from tests.builders.memory import MemoryTransport
from tests.builders.sessions import queue
from trimtab import (
    Grant,
    QueueRef,
)
from trimtab.protocol import Record, Release

R = TypeVar("R", bound=Record)
ONE = Grant(queue(), 1)
WAIT_S = 20.0
"""Far longer than anything here takes; a test that needs it has failed."""


class Application:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, object]] = []
        self.positions: dict[QueueRef, int | None] | None = None

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Start."""
        self.heard.append(("assigned", grants))

    def on_revoked(self, grants: tuple[Grant, ...]) -> dict[QueueRef, int | None] | None:
        """Stop."""
        self.heard.append(("revoked", grants))
        return self.positions

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Drop."""
        self.heard.append(("lost", grants))

    def on_error(self, error: Exception) -> None:
        """Take note."""
        self.heard.append(("error", error))

    def told(self, what: str) -> list[object]:
        """What it was told of one kind."""
        return [news for kind, news in self.heard if kind == what]


def until(condition: Callable[[], object]) -> None:
    """Wait for what another thread does."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


def records(transport: MemoryTransport, kind: type[R]) -> list[R]:
    """The records of one kind that were sent."""
    return [record for record in transport.sent if isinstance(record, kind)]


def releases(transport: MemoryTransport) -> list[Release]:
    """The releases of queues that were sent; a mark has none."""
    return [release for release in records(transport, Release) if release.queues]


def released_queues(transport: MemoryTransport) -> list[QueueRef]:
    """The queues of these."""
    return [row.queue for release in releases(transport) for row in release.queues]
