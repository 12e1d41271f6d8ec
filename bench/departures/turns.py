"""Turns: when each queue came to whom, and went, as members say; pure.

Read by ``fleet``, measured by the benches of departures, of hand-overs and of RocketMQ.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Turn(NamedTuple):
    """A queue came to a member, or went."""

    at: int
    begins: bool
    """Sorted by these two, an end comes before a beginning of the same moment."""
    name: str
    queue: int


class First(NamedTuple):
    """A member got its first message of a queue that had come to it."""

    at: int
    name: str
    queue: int
    sent: int
    """When that message was written."""


def doubled(turns: Iterable[Turn], since: int) -> int:
    """Count how often a queue was begun while another member worked on it; turns are in order."""
    working: dict[int, str] = {}
    twice = 0
    for turn in turns:
        other = working.get(turn.queue, turn.name)
        if turn.begins:
            twice += other != turn.name and turn.at > since
            working[turn.queue] = turn.name
        elif other == turn.name:
            working.pop(turn.queue, None)
    return twice
