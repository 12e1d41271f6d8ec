"""What the SDK needs of a Kafka client: write a record, follow two partitions.

A transport is a thin translation of one client library; `confluent` and `kafka_python` are two. It
is used by one thread (see `engine`), except `send` and `renew`, which any may call. It decides
nothing and never raises for what Kafka does: that comes out of `poll` as an event. Only `open` may
raise.
"""

from dataclasses import dataclass
from typing import Protocol

from trimtab.session import Send


@dataclass(frozen=True, slots=True)
class Received:
    """A record of a topic that is followed; the topic without its prefix."""

    topic: str
    key: bytes | None
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Delivered:
    """Kafka has a record."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Undelivered:
    """A record did not reach Kafka, and will not."""

    ticket: int
    reason: str


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """All that was in the log when `find_end(at)` was called has come out of `poll`."""

    at: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something is wrong that may pass."""

    reason: str


Event = Received | Delivered | Undelivered | CaughtUp | Trouble


class Transport(Protocol):
    """One member's way to Kafka."""

    def open(self, group: str) -> None:
        """Connect and follow the group's partitions from their ends; TransportError if not yet."""

    def send(self, message: Send) -> None:
        """Write a record to the group's partition, without waiting."""

    def poll(self, timeout_ms: int) -> list[Event]:
        """Wait for something to happen, and say what did."""

    def find_end(self, at: int) -> None:
        """Find out where the log ends; `CaughtUp(at)` follows when that far has been read."""

    def renew(self) -> None:
        """The member takes itself for dead: replace what has done nothing since the last time."""

    def close(self, timeout_ms: int) -> None:
        """Send what is still to be sent, and disconnect."""
