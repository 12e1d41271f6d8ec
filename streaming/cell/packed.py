"""Groups and clusters, packed: each by itself, with its deadline.

So of many only those are unpacked that hear something or wait for this time, and only what has
changed is packed again. A group has two parts: what every beat changes, and all the rest. Each is
packed as its stored form says (``stored``).

Used by ``codec``, ``cache``, ``fold`` and ``brokers``. Its one rule: what has not changed is taken
over, byte for byte.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar, cast

from msgspec import msgpack

from rebalance.brokers.cluster import Cluster
from rebalance.groups.model.state import GroupState
from rebalance.ids import Millis
from streaming.cell.stored.beats import BeatsForm, beats_form, pulses
from streaming.cell.stored.cluster import ClusterForm, cluster, cluster_form
from streaming.cell.stored.group import GroupForm, group, group_form, with_beats, without_beats
from streaming.cell.stored.unreadable import understood

Name = TypeVar("Name", bound=str)


class Packed(NamedTuple):
    """A group or a cluster. These fields, in this order, are its stored form."""

    deadline: Millis | None
    """As in its state: nothing can fall due before the clock reads this."""
    rest: bytes
    beats: bytes = b""
    """What every beat of a group changes."""
    kept: bytes = b""
    """What is kept since a step of it has failed: the records that were said to a group, the reason
    of a cluster's failure. Empty: none has."""

    def is_due(self, now: Millis) -> bool:
        """Tell whether time alone may decide something by now."""
        return self.deadline is not None and now >= self.deadline


_encode: Final = msgpack.Encoder().encode
_by_name: Final = msgpack.Decoder(dict[str, Packed]).decode
_group: Final = msgpack.Decoder(GroupForm).decode
_beats: Final = msgpack.Decoder(BeatsForm).decode
_cluster: Final = msgpack.Decoder(ClusterForm).decode


@dataclass(frozen=True, slots=True)
class Packs(Generic[Name]):
    """All groups, or all clusters, of a cell; not even their names are decoded."""

    earliest: Millis | None = None
    """The earliest of their deadlines."""
    data: bytes = _encode({})

    @classmethod
    def of(cls, packs: Mapping[Name, Packed]) -> "Packs[Name]":
        """Put them together."""
        deadlines = [it.deadline for it in packs.values() if it.deadline is not None]
        return cls(min(deadlines, default=None), _encode(packs))

    def is_due(self, now: Millis) -> bool:
        """Tell whether any of them is due by now."""
        return self.earliest is not None and now >= self.earliest

    @understood
    def by_name(self) -> dict[Name, Packed]:
        """Return each of them, still packed."""
        return cast("dict[Name, Packed]", _by_name(self.data))


def pack(state: GroupState, before: GroupState | None = None, was: Packed | None = None) -> Packed:
    """Pack a group, taking over from its packed form what is still the same."""
    there = state.membership
    beats = _encode(beats_form(there.pulses, state.outbox.unposted, list(there.members)))
    if was is not None and before is not None and without_beats(before) == without_beats(state):
        return Packed(state.deadline, was.rest, beats)
    return Packed(state.deadline, _encode(group_form(state)), beats)


@understood
def unpack(packed: Packed, rest: GroupState | None = None) -> GroupState:
    """Unpack a group; ``rest`` is a state that all but the beats can be taken from, if known."""
    beats = _beats(packed.beats)
    if rest is None:
        return group(_group(packed.rest), beats, packed.deadline)
    heard = pulses(beats, list(rest.membership.members))
    return with_beats(rest, heard, beats.unposted, packed.deadline)


def pack_cluster(judged: Cluster) -> Packed:
    """Pack a cluster."""
    return Packed(judged.deadline, _encode(cluster_form(judged)))


@understood
def unpack_cluster(packed: Packed) -> Cluster:
    """Unpack a cluster."""
    return cluster(_cluster(packed.rest))
