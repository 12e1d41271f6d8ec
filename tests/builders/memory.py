"""A Kafka that is a dictionary, behind the SDK's own port, and a controller that is a test.

For what the shells do with threads, callbacks and trouble. What a real Kafka does is in
`tests/integration/sdk/test_member.py`.
"""

import threading
from collections import deque
from typing import Any

from tests.builders.sessions import GROUP, SESSION_MS, assignment, queue
from trimtab import TransportError
from trimtab.protocol import ASSIGNMENTS, RELEASES, TOPICS, Join, Record, decode, encode, member_key
from trimtab.protocol.limits import MIN_TIMEOUT_MS
from trimtab.session import Send
from trimtab.transports.contract import CaughtUp, Delivered, Event, Received, Undelivered


class MemoryTransport:
    """One member's way to nowhere."""

    def __init__(self, topic: str = queue().topic) -> None:
        self._topic = topic
        self.reachable = True
        """Whether `open` works and records arrive."""
        self.sent: list[Record] = []
        self.closed = False
        self._events: deque[Event] = deque()
        self._woken = threading.Condition()

    def open(self, group: str) -> None:
        """Connect."""
        if not self.reachable:
            raise TransportError(f"nobody is there for {group}")

    def send(self, message: Send) -> None:
        """Take a record, or refuse it."""
        assert not self.closed, "a record after the end"
        if self.reachable:
            with self._woken:
                self.sent.append(decode(TOPICS[message.topic], message.value))
                self._put(Delivered(message.ticket))
        else:
            self._put(Undelivered(message.ticket, "nobody is there"))

    def poll(self, timeout_ms: int) -> list[Event]:
        """Wait for events."""
        with self._woken:
            self._woken.wait_for(lambda: self._events, timeout_ms / 1_000)
            events = list(self._events)
            self._events.clear()
            return events

    def find_end(self, at: int) -> None:
        """It is where you are."""
        if self.reachable:
            self._put(CaughtUp(at))

    def renew(self) -> None:
        """Nothing of it wears out."""

    def close(self, timeout_ms: int) -> None:
        """Disconnect."""
        del timeout_ms
        self.closed = True

    def assign(self, epoch: int, **what: Any) -> None:  # noqa: ANN401 - as of `assignment`
        """Publish an assignment for the life that the member has now."""
        join = self.joined()
        record = assignment(epoch, member=join.member, incarnation=join.incarnation, **what)
        session_ms = join.session_timeout_ms or SESSION_MS
        timeouts = {
            "session_timeout_ms": session_ms,
            "heartbeat_interval_ms": max(MIN_TIMEOUT_MS, session_ms // 3),
        }
        rows = {
            name: tuple(it._replace(topic=self._topic) for it in getattr(record, name))
            for name in ("hold", "give", "inherit")
        }
        value = encode(record.model_copy(update=timeouts | rows))
        self.publish(ASSIGNMENTS.name, member_key(GROUP, join.member), value)

    def release(self, record: Record) -> None:
        """Publish somebody's release."""
        self.publish(RELEASES.name, GROUP.encode(), encode(record))

    def publish(self, topic: str, key: bytes | None, value: bytes | None) -> None:
        """Publish anything."""
        self._put(Received(topic, key, value))

    def joined(self) -> Join:
        """Wait until the member has asked to join; the last time it did."""
        with self._woken:
            assert self._woken.wait_for(lambda: self.joins, timeout=5), "it has not joined"
            return self.joins[-1]

    @property
    def joins(self) -> list[Join]:
        """Every join that was sent."""
        return [record for record in self.sent if isinstance(record, Join)]

    def _put(self, event: Event) -> None:
        with self._woken:
            self._events.append(event)
            self._woken.notify_all()
