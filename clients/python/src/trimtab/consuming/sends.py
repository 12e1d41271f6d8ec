"""Sends: what the application writes as an effect of a message, kept until that is committed.

Then all of it is written in one transaction with the commit. Until then nothing has left the
process, so there is nothing to take back of a message that others get again. Used by
`transactions`, which writes, and by `assembly`, which is asked to.
"""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from trimtab.session import Grant


class Send(NamedTuple):
    """Something to write."""

    offset: int
    """Of the message whose effect it is."""
    arguments: dict[str, Any]
    """As confluent-kafka's `produce` takes them."""


class Sends:
    """Of one consumer, by the grants of their queues; in the order of the calls."""

    def __init__(self) -> None:
        self._line = threading.Lock()
        self._kept: dict[Grant, list[Send]] = {}

    def add(self, grant: Grant, send: Send) -> None:
        """Keep this."""
        with self._line:
            self._kept.setdefault(grant, []).append(send)

    def before(self, grant: Grant, offset: int) -> list[Send]:
        """The effects of all messages before this offset."""
        with self._line:
            return [it for it in self._kept.get(grant, ()) if it.offset < offset]

    def written(self, grant: Grant, offset: int) -> None:
        """Kafka has the effects of all messages before this offset."""
        self._keep(grant, lambda it: it.offset >= offset)

    def read_again(self, grant: Grant, offset: int) -> None:
        """All messages from this offset on come again, and so do their effects."""
        self._keep(grant, lambda it: it.offset < offset)

    def drop(self, grant: Grant) -> None:
        """The queue is somebody else's."""
        self._keep(grant, lambda _: False)

    def _keep(self, grant: Grant, stays: Callable[[Send], bool]) -> None:
        with self._line:
            kept = [it for it in self._kept.pop(grant, ()) if stays(it)]
            if kept:
                self._kept[grant] = kept
