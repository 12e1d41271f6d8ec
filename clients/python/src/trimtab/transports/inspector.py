"""What a member asks Kafka beside its work: who else is in its group, and what is not there.

A port, as `contract` is: one class for each client library, which connects, asks, and disconnects.
Used by `inspection`. Its one rule: what Kafka does not say, or has no right to say, is None, and
never taken for an answer.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from trimtab.protocol import TICK_KEY
from trimtab.transports.link import Link

PATIENCE_S: Final = 3.0
"""For one answer. It is asked in the background, and somebody waits for a word within 15 s."""
TAIL: Final = 2_000
"""Records of `heartbeats` in which a tick is looked for. There is one a second; a thousand members
send 330 beats in that time."""


class Subscriber(NamedTuple):
    """A program that has joined a group of Kafka's own."""

    client: str
    host: str


class LastTick(NamedTuple):
    """When a controller last wrote into the group's partition of `heartbeats`."""

    age_ms: int | None
    """Of its last tick, in the time of the log; None: there is none."""
    records: int
    """How many were looked at."""


class Inspector(Protocol):
    """One member's questions."""

    @property
    def link(self) -> Link:
        """Whom it asks."""

    @property
    def prefix(self) -> str:
        """What the names of trimtab's topics begin with."""

    def subscribers(self, group: str) -> tuple[Subscriber, ...] | None:
        """Who is a member of Kafka's group of this name."""

    def absent(self, topics: Sequence[str]) -> frozenset[str] | None:
        """Which of these topics do not exist."""

    def last_tick(self, group: str) -> LastTick | None:
        """When a controller last said that it is there."""


def last_tick_among(records: Iterable[tuple[bytes | None, int]]) -> LastTick:
    """Find the last tick among records, each with its key and its time, the latest last."""
    count, last, ticked = 0, 0, None
    for key, at in records:
        count, last = count + 1, at
        ticked = at if key == TICK_KEY else ticked
    return LastTick(None if ticked is None else last - ticked, count)
