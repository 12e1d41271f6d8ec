"""The codec: a cell's state as bytes, and back.

In front is what every tick needs: the clock and the earliest deadline of all groups; so a tick
without a due deadline unpacks no group. Each group is packed by itself, with its deadline and two
parts: what every beat changes (the pulses) and all the rest. Only what is needed is unpacked, only
what changed is packed again. The same holds for the juries, one for each cluster.

The bytes are MessagePack after one byte of version; fields go by name, so that a field with a
default can be added. A change that this does not cover is a new version. An unknown version is
refused, never guessed: no state is better than a wrong one (fault A8).

Called by ``fold`` and ``cell_operator``. Its one rule: what one release has written, every later
one can read or refuses by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from msgspec import Raw, msgpack

from rebalance.brokers.cluster import Cluster
from rebalance.brokers.events import ClusterName
from rebalance.clock import Left, Log, LogClock
from rebalance.groups.model.member import Pulse
from rebalance.groups.model.state import GroupState
from rebalance.ids import Epoch, GroupName, MemberId, Millis

VERSION: Final = 2
_VERSION_BYTE: Final = bytes([VERSION])


class UnreadableState(Exception):  # noqa: N818 - it names what is at hand
    """The checkpoint was written by a release that this one cannot read."""


class PackedGroup(NamedTuple):
    """One group, packed."""

    deadline: Millis | None
    """As in the group's state: nothing can fall due before the clock reads this."""
    pulses: bytes
    rest: bytes
    unposted: tuple[MemberId, ...] = ()
    """As in the group's state."""
    kept: bytes = b""
    """What was said since a step of it has failed (``containment``); empty: none has."""


PackedGroups = Mapping[GroupName, PackedGroup]


class PackedCluster(NamedTuple):
    """One cluster's jury, packed."""

    deadline: Millis | None
    """As in the cluster's state."""
    cluster: bytes
    ailment: str = ""
    """Why a step of it has failed; empty: none has."""


PackedClusters = Mapping[ClusterName, PackedCluster]

_PARTS: Final[Mapping[str, Mapping[str, str]]] = {
    "membership": {
        "members": "members",
        "suspected": "held",
        "flaps": "flaps",
        "departures": "departures",
        "empty_since": "empty_since",
    },
    "topics": {"routes": "routes", "doubts": "doubts"},
    "target": {
        "owners": "target",
        "epoch": "target_epoch",
        "at": "targeted_at",
        "shortage": "shortage",
    },
    "handover": {"books": "ownership", "loose": "loose", "posted": "posted", "reasons": "reasons"},
    "rules": {
        "paused": "paused",
        "paused_until": "paused_until",
        "strategy": "strategy",
        "overrides": "overrides",
        "obeyed": "commands",
    },
    "outbox": {"cause": "cause", "occasion": "occasion"},
}
"""Where the fields of version 1 are now."""

_EMPTY: Final = msgpack.encode({})


class _Stored(NamedTuple):
    now: Millis
    latest: Millis | None
    earliest: Millis | None
    groups: Raw
    earliest_jury: Millis | None = None
    clusters: Raw = Raw(_EMPTY)
    floor: Epoch = Epoch(0)
    lent: Millis = Millis(0)
    owed: Millis = Millis(0)
    left: tuple[Left, ...] = ()
    behind: tuple[Log, ...] = ()
    ticks: tuple[int, ...] = ()
    gate: bytes = b""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, its groups still shut."""

    clock: LogClock = field(default_factory=LogClock)
    earliest: Millis | None = None
    """The earliest deadline of all groups."""
    groups: bytes = _EMPTY
    earliest_jury: Millis | None = None
    """The earliest deadline of all clusters."""
    clusters: bytes = _EMPTY
    floor: Epoch = Epoch(0)
    """The highest epoch of all groups that are not remembered: none begins below it."""
    gate: bytes = b""
    """What is known of the controller that runs it, and what waits for it (``gate``)."""

    def due(self) -> bool:
        """Tell whether silence may decide something by now."""
        return self.earliest is not None and self.clock.now >= self.earliest

    def jury_due(self) -> bool:
        """Tell whether time alone may decide something about a broker by now."""
        return self.earliest_jury is not None and self.clock.now >= self.earliest_jury


_stored: Final = msgpack.Decoder(_Stored)


class _First(NamedTuple):
    deadline: Millis | None
    pulses: bytes
    rest: bytes
    unposted: tuple[MemberId, ...] = ()
    kept: bytes = b""


_firsts: Final = msgpack.Decoder(dict[GroupName, _First])
_groups: Final = msgpack.Decoder(dict[GroupName, PackedGroup])
_state: Final = msgpack.Decoder(GroupState)
_clusters: Final = msgpack.Decoder(dict[ClusterName, PackedCluster])
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
        _Stored(
            clock.now,
            clock.latest,
            cell.earliest,
            Raw(cell.groups),
            cell.earliest_jury,
            Raw(cell.clusters),
            cell.floor,
            clock.lent,
            clock.owed,
            clock.left,
            clock.behind,
            clock.ticks,
            cell.gate,
        )
    )


def read(data: bytes) -> Cell:
    """Read a cell.

    Raises:
        UnreadableState: Another version wrote it.
    """
    if data[:1] not in (_VERSION_BYTE, b"\x01"):
        raise UnreadableState(
            f"the checkpoint holds state of version {data[0] if data else 'none'}, and this "
            f"release reads version {VERSION}: start the release that wrote it, or move over with "
            "`trimtab run --new-checkpoint`: no queue moves"
        )
    stored = _stored.decode(memoryview(data)[1:])
    if data[0] == 1:
        stored = stored._replace(groups=Raw(_encode(_moved_over(stored.groups))))
    lines = stored.lent, stored.owed, stored.left, stored.behind
    return Cell(
        LogClock(stored.now, stored.latest, *lines, stored.ticks),
        stored.earliest,
        bytes(stored.groups),
        stored.earliest_jury,
        bytes(stored.clusters),
        stored.floor,
        stored.gate,
    )


def _moved_over(groups: Raw) -> dict[GroupName, PackedGroup]:
    """Return groups of version 1, whose state had no parts."""
    return {name: _with_parts(it) for name, it in _firsts.decode(groups).items()}


def _with_parts(packed: _First) -> PackedGroup:
    flat = msgpack.decode(packed.rest)
    state = {
        name: flat[name] for name in ("name", "epoch", "group_epoch", "ailment") if name in flat
    }
    for part, names in _PARTS.items():
        state[part] = {now: flat[was] for now, was in names.items() if was in flat}
    return PackedGroup(packed.deadline, packed.pulses, _encode(state), packed.unposted, packed.kept)


def packed_groups(cell: Cell) -> dict[GroupName, PackedGroup]:
    """Open the stored: every group, still packed."""
    return _groups.decode(cell.groups)


def with_groups(cell: Cell, groups: PackedGroups) -> Cell:
    """Put the groups back."""
    deadlines = [packed.deadline for packed in groups.values() if packed.deadline is not None]
    return replace(cell, earliest=min(deadlines, default=None), groups=_encode(groups))


def packed_clusters(cell: Cell) -> dict[ClusterName, PackedCluster]:
    """Open the juries' part: every cluster, still packed."""
    return _clusters.decode(cell.clusters)


def with_clusters(cell: Cell, clusters: PackedClusters) -> Cell:
    """Put the clusters back."""
    deadlines = [packed.deadline for packed in clusters.values() if packed.deadline is not None]
    return replace(cell, earliest_jury=min(deadlines, default=None), clusters=_encode(clusters))


def pack_cluster(cluster: Cluster) -> PackedCluster:
    """Pack a cluster."""
    return PackedCluster(cluster.deadline, _encode(cluster))


def unpack_cluster(packed: PackedCluster) -> Cluster:
    """Unpack a cluster."""
    return _cluster.decode(packed.cluster)


def unpack(packed: PackedGroup, rest: GroupState | None = None) -> GroupState:
    """Unpack a group; ``rest`` is a state that all but the pulses can be taken from, if known."""
    state = _state.decode(packed.rest) if rest is None else rest
    return _with(state, _pulses.decode(packed.pulses), packed.deadline, packed.unposted)


def pack(
    state: GroupState, before: GroupState | None = None, was: PackedGroup | None = None
) -> PackedGroup:
    """Pack a group, taking over from its packed form what is still the same."""
    rest = _with(state, {}, None, ())
    if before is not None and was is not None and rest == _with(before, {}, None, ()):
        packed = was.rest
    else:
        packed = _encode(rest)
    pulses = _encode(state.membership.pulses)
    return PackedGroup(state.deadline, pulses, packed, state.outbox.unposted)


def _with(
    state: GroupState,
    pulses: Mapping[MemberId, Pulse],
    deadline: Millis | None,
    unposted: tuple[MemberId, ...],
) -> GroupState:
    outbox = replace(state.outbox, unposted=unposted)
    return replace(state.with_pulses(pulses), outbox=outbox, deadline=deadline)
