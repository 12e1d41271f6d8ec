"""The cache: groups that this worker has lately packed or unpacked, kept in memory.

Spark hands every batch the bytes of the one before, mostly to the same process, and to unpack a
group costs many times what a beat costs in the brain. So the process keeps the unpacked group
beside the bytes. The bytes decide: with other bytes, after a crash or a retry, or in another
worker, the group is unpacked from them.

Called by ``hearing``. A worker that forgets everything decides the same.
"""

from dataclasses import dataclass, field
from typing import Final

from rebalance.groups.model.state import GroupState
from streaming.cell.packed import Packed, pack, unpack

_MOST_BYTES: Final = 8 << 20
"""Packed; in memory they are twenty times as large. Enough for some thousands of usual groups, and
for those of 12,000 clients of RocketMQ, each in four groups: nearly all groups of such a fleet hear
something in each batch, always in the same order, so if one has no room, none is found."""


@dataclass(slots=True)
class Cache:
    """What one worker has in mind; the oldest is forgotten first."""

    most_bytes: int = _MOST_BYTES
    _known: dict[bytes, tuple[Packed, GroupState]] = field(default_factory=dict)
    """By all that a beat leaves alone: how each was packed last, and what it is."""
    _bytes: int = 0

    def unpack(self, packed: Packed) -> GroupState:
        """Unpack a group, remembering what can be remembered of it."""
        known = self._known.get(packed.rest)
        if known is None:
            state = unpack(packed, None)
        else:
            was, state = known
            if (was.deadline, was.beats) != (packed.deadline, packed.beats):
                state = unpack(packed, state)
        self._keep(packed, state)
        return state

    def pack(self, state: GroupState, before: GroupState, was: Packed | None) -> Packed:
        """Pack a group and keep it in mind; what it was before is forgotten."""
        packed = pack(state, before, was)
        if was is not None and was.rest is not packed.rest:
            self._forget(was.rest)
        self._keep(packed, state)
        return packed

    def _forget(self, rest: bytes) -> None:
        if self._known.pop(rest, None) is not None:
            self._bytes -= len(rest)

    def _keep(self, packed: Packed, state: GroupState) -> None:
        rest = packed.rest
        if self._known.pop(rest, None) is None:
            self._bytes += len(rest)
        self._known[rest] = packed, state  # at the end: the last to be forgotten
        while self._bytes > self.most_bytes:
            self._forget(next(iter(self._known)))
