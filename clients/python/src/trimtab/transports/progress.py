"""How far a member has read: what has been received, against where the log ended.

Shared by the transports. Only Kafka's answer proves that the member is at the end: silence alone
may also mean that nothing gets through.
"""

from collections.abc import Mapping
from typing import Generic, TypeVar

P = TypeVar("P")
"""A partition, as the client library calls it."""


class Progress(Generic[P]):
    """The next offset of each partition, and the ends to be reached."""

    def __init__(self, start: Mapping[P, int]) -> None:
        self._next = dict(start)
        self._ends: Mapping[P, int] | None = None
        self._at = 0

    def reach(self, partition: P, offset: int) -> None:
        """Everything before this offset has been handed over, or is not there any more."""
        self._next[partition] = offset

    def places(self) -> list[tuple[P, int]]:
        """How far each partition was read."""
        return list(self._next.items())

    def aim(self, at: int, ends: Mapping[P, int]) -> None:
        """The log ended here at that time."""
        self._at, self._ends = at, ends

    def reached(self) -> int | None:
        """The time of the last aim, once it is reached; told once."""
        ends = self._ends
        if ends is None or any(self._next[partition] < end for partition, end in ends.items()):
            return None
        self._ends = None
        return self._at
