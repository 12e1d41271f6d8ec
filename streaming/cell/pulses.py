"""Pulses: when the members of quiet groups were last heard, in columns, with fingerprints.

While a member stands here, its pulse is what stands here, and that in its packed group is old. A
group that is to be stepped is ``taken`` out first, with its members' pulses as they are; after the
step those whose beats still change nothing else are entered again.

Used by ``counting`` and ``fold``. Its one rule: a member stands here once, under one fingerprint.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

import numpy as np
from msgspec import msgpack
from numpy.typing import NDArray

from rebalance.groups.model.member import Pulse
from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName, Incarnation, MemberId, Millis
from streaming.cell.stored.pulses import PulsesForm
from streaming.cell.stored.unreadable import understood
from streaming.wire.beats import Fingerprint, Numbers

NEVER: Final = Millis(np.iinfo(np.int64).max)
NAMES_NOTHING: Final = Millis(NEVER - 1)
"""From when on a beat of epoch 0 asks for its member's record: never, whatever that is."""
_LONG, _INT = "<i8", "<i4"
_TYPES: Final = {
    "first": _LONG,
    "second": _LONG,
    "group": _INT,
    "place": _INT,
    "silence": _INT,
    "seen": _LONG,
    "number": _LONG,
    "asks": _LONG,
}
"""The columns of members."""


@dataclass(frozen=True)
class Pulses:
    """Columns of groups, and columns of members, sorted by their fingerprints."""

    names: list[GroupName]
    until: Numbers
    first: Numbers
    second: Numbers
    group: Numbers
    place: Numbers
    silence: Numbers
    seen: Numbers
    number: Numbers
    asks: Numbers

    def due(self, now: Millis) -> NDArray[np.bool_]:
        """Tell of each group whether time alone may decide something by now."""
        due = self.until <= now
        due[self.group[self.seen + self.silence <= now]] = True
        return due

    @cached_property
    def places(self) -> Mapping[GroupName, int]:
        """Which group stands where."""
        return {name: place for place, name in enumerate(self.names)}


_encode: Final = msgpack.Encoder().encode
_decode: Final = msgpack.Decoder(PulsesForm).decode
NONE: Final = Pulses([], np.empty(0, _LONG), *(np.empty(0, it) for it in _TYPES.values()))


def write(pulses: Pulses) -> bytes:
    """Write them; if there are none, nothing."""
    if not len(pulses.first):
        return b""
    columns = {name: getattr(pulses, name).astype(it).tobytes() for name, it in _TYPES.items()}
    names = cast("list[str]", pulses.names)
    return _encode(PulsesForm(names=names, until=pulses.until.astype(_LONG).tobytes(), **columns))


@understood
def read(data: bytes) -> Pulses:
    """Read them."""
    if not data:
        return NONE
    form = _decode(data)
    names = cast("list[GroupName]", form.names)
    columns = [np.frombuffer(getattr(form, name), it) for name, it in _TYPES.items()]
    if not form.asks:  # until 0.1.0 only those stood here that had read everything
        columns[-1] = np.full(len(columns[0]), NEVER, _LONG)
    until = np.frombuffer(form.until, _LONG)
    members, groups = {len(it) for it in columns}, columns[2]
    if len(members) > 1 or len(until) != len(names):
        raise ValueError("columns of different lengths")
    if groups.min() < 0 or groups.max() >= len(names) or columns[3].min() < 0:
        raise ValueError("a place that is not there")
    return Pulses(names, until, *columns)


class Known(NamedTuple):
    """A member that is to stand here."""

    fingerprint: Fingerprint
    incarnation: Incarnation
    session: Millis
    """How long it may be silent."""
    asks: Millis = NEVER
    """From when on such a beat asks for the member's record again (``unread``)."""


class Taken(NamedTuple):
    """Who stood here of a group."""

    known: Mapping[MemberId, Known]
    until: Millis | None
    """When anything else is due than the ends of their sessions."""


NOBODY: Final = Taken({}, None)


@dataclass(slots=True)
class PulseTable:
    """The pulses of a cell while its groups are stepped."""

    pulses: Pulses
    _gone: set[int] = field(default_factory=set)
    _until: list[Millis] = field(default_factory=list)
    _names: list[GroupName] = field(default_factory=list)
    _entered: list[tuple[int, int, int, int, int, int, int, int]] = field(default_factory=list)
    _order: NDArray[Any] | None = None
    _starts: NDArray[Any] | None = None

    @property
    def is_changed(self) -> bool:
        """Tell whether anybody was taken out or entered."""
        return bool(self._gone or self._entered)

    def due(self, now: Millis) -> list[GroupName]:
        """Return the groups of which time alone may decide something by now."""
        (groups,) = self.pulses.due(now).nonzero()
        return [self.pulses.names[it] for it in groups.tolist()]

    @understood
    def take(self, state: GroupState) -> tuple[GroupState, Taken]:
        """Take a group out; return it as it is now, and who stood here."""
        group = self.pulses.places.get(state.name)
        if group is None:
            return state, NOBODY
        self._gone.add(group)
        at = self._members(group)
        there, names = state.membership, list(state.membership.pulses)
        columns = self.pulses
        pulses, known, ends = dict(there.pulses), {}, [Millis(int(columns.until[group]))]
        for place, seen, number, silence, asks, *fingerprint in zip(
            *(
                it[at].tolist()
                for it in (
                    columns.place,
                    columns.seen,
                    columns.number,
                    columns.silence,
                    columns.asks,
                    columns.first,
                    columns.second,
                )
            ),
            strict=True,
        ):
            name = names[place]
            pulses[name] = Pulse(Millis(seen), number, pulses[name].unread)
            life = there.members[name].incarnation
            known[name] = Known(Fingerprint(*fingerprint), life, Millis(silence), Millis(asks))
            ends.append(Millis(seen + silence))
        until, deadline = (None if it == NEVER else it for it in (ends[0], min(ends)))
        return replace(state.with_pulses(pulses), deadline=deadline), Taken(known, until)

    def enter(self, state: GroupState, staying: Taken) -> None:
        """Let some members of a group stand here, with their pulses as they are."""
        group = len(self.pulses.names) + len(self._names)
        self._names.append(state.name)
        self._until.append(NEVER if staying.until is None else staying.until)
        for place, (name, pulse) in enumerate(state.membership.pulses.items()):
            one = staying.known.get(name)
            if one is not None:
                row = (group, place, one.session, pulse.seen, pulse.sequence, one.asks)
                self._entered.append((*one.fingerprint, *row))

    def closed(self) -> Pulses:
        """Return the pulses as they are now."""
        was = self.pulses
        if not self.is_changed:
            return was
        stays = ~np.isin(was.group, list(self._gone))
        rows = zip(*self._entered, strict=True) if self._entered else [()] * len(_TYPES)
        columns = {
            name: np.concatenate([getattr(was, name)[stays], np.array(list(new), dtype=kind)])
            for (name, kind), new in zip(_TYPES.items(), rows, strict=True)
        }
        order = np.argsort(columns["first"], kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
        used, columns["group"] = np.unique(columns["group"], return_inverse=True)
        names = [*was.names, *self._names]
        until = np.concatenate([was.until, np.array(self._until, dtype=_LONG)])
        return Pulses([names[it] for it in used.tolist()], until[used], **columns)

    def _members(self, group: int) -> NDArray[Any]:
        if self._order is None or self._starts is None:
            self._order = np.argsort(self.pulses.group, kind="stable")
            groups = np.arange(len(self.pulses.names) + 1)
            self._starts = np.searchsorted(self.pulses.group[self._order], groups)
        return self._order[self._starts[group] : self._starts[group + 1]]
