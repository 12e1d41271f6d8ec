"""The codec: a cell's state as bytes, and back.

In front is what every tick needs: the clock and the earliest deadline of all groups; so a tick
without a due deadline unpacks no group. Each group is packed by itself, with its deadline and two
parts: what every beat changes (the pulses) and all the rest. Only what is needed is unpacked, only
what changed is packed again. The same holds for the juries, one for each cluster.

The bytes are MessagePack after one byte of version; fields go by name, so that a field with a
default can be added. A change that this does not cover is a new version. An unknown version is
refused, never guessed: no state is better than a wrong one (fault A8).

Called by ``cell`` and ``cell_operator``. Its one rule: what one release has written, every later
one can read or refuses by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Final, NamedTuple

from msgspec import Raw, msgpack

from rebalance.brokers.cluster import Cluster
from rebalance.brokers.events import ClusterName
from rebalance.clock import LogClock
from rebalance.groups.model.state import GroupState, Pulse
from rebalance.ids import Epoch, GroupName, MemberId, Millis

VERSION: Final = 1
_VERSION_BYTE: Final = bytes([VERSION])


class UnreadableState(Exception):  # noqa: N818 - it names what is at hand
    """The checkpoint was written by a release that this one cannot read."""


class Drawer(NamedTuple):
    """One group, packed."""

    deadline: Millis | None
    """As in the group's state: nothing can fall due before the clock reads this."""
    pulses: bytes
    rest: bytes
    unposted: tuple[MemberId, ...] = ()
    """As in the group's state."""
    kept: bytes = b""
    """What was said since a step of it has failed (``containment``); empty: none has."""


Drawers = Mapping[GroupName, Drawer]


class Bench(NamedTuple):
    """One cluster's jury, packed."""

    deadline: Millis | None
    """As in the cluster's state."""
    cluster: bytes
    ailment: str = ""
    """Why a step of it has failed; empty: none has."""


Benches = Mapping[ClusterName, Bench]

_EMPTY: Final = msgpack.encode({})


class _Chest(NamedTuple):
    now: Millis
    latest: Millis | None
    earliest: Millis | None
    drawers: Raw
    earliest_jury: Millis | None = None
    benches: Raw = Raw(_EMPTY)
    floor: Epoch = Epoch(0)
    lent: Millis = Millis(0)
    owed: Millis = Millis(0)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, its drawers still shut."""

    clock: LogClock = field(default_factory=LogClock)
    earliest: Millis | None = None
    """The earliest deadline of all groups."""
    drawers: bytes = _EMPTY
    earliest_jury: Millis | None = None
    """The earliest deadline of all clusters."""
    benches: bytes = _EMPTY
    floor: Epoch = Epoch(0)
    """The highest epoch of all groups that are not remembered: none begins below it."""

    def due(self) -> bool:
        """Tell whether silence may decide something by now."""
        return self.earliest is not None and self.clock.now >= self.earliest

    def jury_due(self) -> bool:
        """Tell whether time alone may decide something about a broker by now."""
        return self.earliest_jury is not None and self.clock.now >= self.earliest_jury


_chest: Final = msgpack.Decoder(_Chest)
_drawers: Final = msgpack.Decoder(dict[GroupName, Drawer])
_state: Final = msgpack.Decoder(GroupState)
_benches: Final = msgpack.Decoder(dict[ClusterName, Bench])
_cluster: Final = msgpack.Decoder(Cluster)
_pulses: Final = msgpack.Decoder(dict[MemberId, Pulse])


def _as_a_dictionary(value: object) -> dict[object, object]:
    """A strategy may answer in a form of its own that reads like a dictionary (STICKY does)."""
    if isinstance(value, Mapping):
        return dict(value.items())
    raise NotImplementedError(f"nothing of the state is {type(value).__name__}")


_encode: Final = msgpack.Encoder(enc_hook=_as_a_dictionary).encode


def write(cell: Cell) -> bytes:
    """Write a cell."""
    clock = cell.clock
    return _VERSION_BYTE + _encode(
        _Chest(
            clock.now,
            clock.latest,
            cell.earliest,
            Raw(cell.drawers),
            cell.earliest_jury,
            Raw(cell.benches),
            cell.floor,
            clock.lent,
            clock.owed,
        )
    )


def read(data: bytes) -> Cell:
    """Read a cell.

    Raises:
        UnreadableState: Another version wrote it.
    """
    if data[:1] != _VERSION_BYTE:
        raise UnreadableState(
            f"the checkpoint holds state of version {data[0] if data else 'none'}, and this "
            f"release reads version {VERSION}: start the release that wrote it, or move over with "
            "`trimtab run --new-checkpoint`: no queue moves"
        )
    chest = _chest.decode(memoryview(data)[1:])
    return Cell(
        LogClock(chest.now, chest.latest, chest.lent, chest.owed),
        chest.earliest,
        bytes(chest.drawers),
        chest.earliest_jury,
        bytes(chest.benches),
        chest.floor,
    )


def open_drawers(cell: Cell) -> dict[GroupName, Drawer]:
    """Open the chest: every group, still packed."""
    return _drawers.decode(cell.drawers)


def shut(cell: Cell, drawers: Drawers) -> Cell:
    """Put the groups back."""
    deadlines = [drawer.deadline for drawer in drawers.values() if drawer.deadline is not None]
    return replace(cell, earliest=min(deadlines, default=None), drawers=_encode(drawers))


def open_benches(cell: Cell) -> dict[ClusterName, Bench]:
    """Open the juries' part: every cluster, still packed."""
    return _benches.decode(cell.benches)


def shut_benches(cell: Cell, benches: Benches) -> Cell:
    """Put the clusters back."""
    deadlines = [bench.deadline for bench in benches.values() if bench.deadline is not None]
    return replace(cell, earliest_jury=min(deadlines, default=None), benches=_encode(benches))


def seat(cluster: Cluster) -> Bench:
    """Pack a cluster."""
    return Bench(cluster.deadline, _encode(cluster))


def unseat(bench: Bench) -> Cluster:
    """Unpack a cluster."""
    return _cluster.decode(bench.cluster)


def unpack(drawer: Drawer, rest: GroupState | None = None) -> GroupState:
    """Unpack a group; ``rest`` is a state that all but the pulses can be taken from, if known."""
    state = _state.decode(drawer.rest) if rest is None else rest
    kept = dict(zip(_REST, _rest(state), strict=True))
    pulses = _pulses.decode(drawer.pulses)
    return GroupState(**kept, pulses=pulses, deadline=drawer.deadline, unposted=drawer.unposted)


def pack(state: GroupState, before: GroupState | None = None, was: Drawer | None = None) -> Drawer:
    """Pack a group, taking over from its drawer what is still the same."""
    if before is not None and was is not None and _rest(before) == _rest(state):
        rest = was.rest
    else:
        rest = _encode(replace(state, pulses={}, deadline=None, unposted=()))
    return Drawer(state.deadline, _encode(state.pulses), rest, state.unposted)


_APART: Final = {"pulses", "deadline", "unposted"}
_REST: Final = [it.name for it in fields(GroupState) if it.name not in _APART]
"""All that a beat leaves alone."""

_rest: Final = attrgetter(*_REST)
