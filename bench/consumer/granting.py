"""A controller for one member: it answers a join with all partitions of a topic, and nothing else.

So the bench needs no Spark; what a controller costs is not the consumer's. It stands behind the
SDK's own port for transports. Used by `sides`. Its one rule: whatever is sent has arrived.
"""

import threading
from collections import deque
from typing import Final

from trimtab.protocol import (
    ASSIGNMENTS,
    TOPICS,
    Assignment,
    Cause,
    HolderRef,
    Join,
    decode,
    encode,
    member_key,
)
from trimtab.session import Send
from trimtab.transports.contract import CaughtUp, Delivered, Event, Received

_SESSION_MS: Final = 10_000
_REVOCATION_MS: Final = 60_000


class Granting:
    """The way of one member to its controller."""

    def __init__(self, topic: str, partitions: int) -> None:
        self._rows = tuple(HolderRef(topic, "", it, 1, None) for it in range(partitions))
        self._events: deque[Event] = deque()
        self._woken = threading.Condition()

    def open(self, group: str) -> None:
        """Connect."""
        self._group = group

    def send(self, message: Send) -> None:
        """Take a record, and answer a join."""
        self._put(Delivered(message.ticket))
        record = decode(TOPICS[message.topic], message.value)
        if isinstance(record, Join):
            answer = Assignment(
                group=self._group,
                member=record.member,
                incarnation=record.incarnation,
                epoch=1,
                target_epoch=1,
                hold=self._rows,
                give=(),
                inherit=(),
                revocation_timeout_ms=_REVOCATION_MS,
                session_timeout_ms=_SESSION_MS,
                heartbeat_interval_ms=_SESSION_MS // 3,
                cause=Cause(kind="join"),
            )
            key = member_key(self._group, record.member)
            self._put(Received(ASSIGNMENTS.name, key, encode(answer)))

    def poll(self, timeout_ms: int) -> list[Event]:
        """Wait for events."""
        with self._woken:
            self._woken.wait_for(lambda: self._events, timeout_ms / 1_000)
            events = list(self._events)
            self._events.clear()
            return events

    def find_end(self, at: int) -> None:
        """It is where you are."""
        self._put(CaughtUp(at))

    def close(self, timeout_ms: int) -> None:
        """Disconnect."""
        del timeout_ms

    def _put(self, event: Event) -> None:
        with self._woken:
            self._events.append(event)
            self._woken.notify_all()
