"""A controller for one member: it answers a join with all partitions of a topic, and nothing else.

So the bench needs no Spark; what a controller costs is not the consumer's. The member beats to a
real Kafka, by the SDK's own transport; only the answer does not come from there. Used by `sides`.
Its one rule: a join is answered once.
"""

from collections import deque
from typing import Final

from trimtab.protocol import (
    ASSIGNMENTS,
    DEFAULT_PREFIX,
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
from trimtab.transports import choose
from trimtab.transports.contract import Event, Received

_SESSION_MS: Final = 10_000
_REVOCATION_MS: Final = 60_000


class Granting:
    """The way of one member to its controller."""

    def __init__(self, servers: str, topic: str, partitions: int) -> None:
        self._inner = choose("confluent", servers, DEFAULT_PREFIX, _SESSION_MS, {"log_level": 2})
        self._rows = tuple(HolderRef(topic, "", it, 1, None) for it in range(partitions))
        self._answers: deque[Event] = deque()

    def open(self, group: str) -> None:
        """Connect."""
        self._group = group
        self._inner.open(group)

    def send(self, message: Send) -> None:
        """Write a record, and answer a join."""
        self._inner.send(message)
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
            self._answers.append(Received(ASSIGNMENTS.name, key, encode(answer)))

    def poll(self, timeout_ms: int) -> list[Event]:
        """Wait for events."""
        events = self._inner.poll(timeout_ms)
        while self._answers:
            events.append(self._answers.popleft())
        return events

    def find_end(self, at: int) -> None:
        """Ask."""
        self._inner.find_end(at)

    def renew(self) -> None:
        """Nothing of it wears out."""

    def close(self, timeout_ms: int) -> None:
        """Disconnect."""
        self._inner.close(timeout_ms)
