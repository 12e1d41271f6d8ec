"""Containment: what is kept of a batch when the step of one group fails.

An exception concerns one group (``groups.ailments``). Its records of the batch are kept with the
time at which they were read, and are read again at the group's next change. If that fails as well,
the change is tried alone; if it succeeds, the kept records become dead letters with the reason.
There is room for what a batch usually holds; the rest become dead letters at once. So no record is
lost silently, and a record that causes the failure is out of the way at the next change.

The published records that a starting controller has read wait here as well until they are complete:
with half of them, a queue that a member works on would be granted again.

Of each life's beats the last full one is kept, because it may be the only proof of a release; that
its sender is alive is noted at once.

Called by ``fold``. Its one rule: what is read again keeps the time at which it was read first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple

from msgspec import msgpack

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator
from rebalance.groups.model.events import Adopted, BeatSeen, Event, Found, Moment, last_found
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName, Millis, Position
from rebalance.stamp import Stamp, Ticked
from sinks import Outlet, Publication, Record, record_of
from streaming.wire.decoding import Decoder, OfGroup, dead_letter_of
from streaming.wire.rows import Row
from trimtab.protocol import DeadLetter, UndecodableRecord

MOST: Final = 1_000
"""Records: twice what a large group says in the batch in which all of it joins."""
MOST_BYTES: Final = 1 << 20
"""As large as one record may be: it is written with the state in each batch."""
ROOMS: Final = 64
"""As many times that may wait for the rest of an adoption: a record for each member."""


class Kept(NamedTuple):
    """A record, and when it was heard on the log's clock."""

    row: Row
    clock: Millis
    heard: Millis


_encode: Final = msgpack.Encoder().encode
_decode: Final = msgpack.Decoder(list[Kept]).decode


def is_cut(moments: Iterable[Moment]) -> bool:
    """Tell whether a part of what a starting controller found published has not been read yet."""
    found = last_found(moments)
    told = {(it.member, it.incarnation) if isinstance(it, Adopted) else None for it in found}
    return len(told) < max((it.of for it in found), default=0)


def is_change(moment: Moment) -> bool:
    """Tell whether an event says more than that its sender is alive."""
    return not isinstance(moment, BeatSeen | Ticked)


def kept_of(moments: Sequence[Moment], rows: Mapping[Position, Row]) -> list[Kept]:
    """Return what is to be said again."""
    full = {
        (moment.member, moment.incarnation): moment
        for moment in moments
        if isinstance(moment, BeatSeen) and moment.owned is not None
    }
    last = {id(moment) for moment in full.values()}
    return [
        Kept(rows[moment.stamp.position], moment.stamp.clock, moment.stamp.heard)
        for moment in moments
        if is_change(moment) or id(moment) in last
    ]


def bounded(kept: Sequence[Kept], rooms: int = 1) -> tuple[list[Kept], list[Kept]]:
    """Return what there is room for, the oldest first, and the rest."""
    left = rooms * MOST_BYTES
    for place, one in enumerate(kept):
        left -= len(one.row.value or b"")
        if left < 0 or place == rooms * MOST:
            return list(kept[:place]), list(kept[place:])
    return list(kept), []


def write(kept: Sequence[Kept]) -> bytes:
    """Write what is kept."""
    return _encode(kept)


def read(data: bytes) -> list[Kept]:
    """Read what was kept."""
    return _decode(data)


def again(kept: Iterable[Kept], group: GroupName, decoder: Decoder) -> Iterator[Event | Found]:
    """Say again what was kept of a group."""
    for row, clock, heard in kept:
        stamp = Stamp(clock, heard, Millis(row.appended_ms), row.position)
        for found in decoder.heard(row, stamp):
            if isinstance(found, OfGroup) and found.group == group:
                yield found.event


def returned(kept: Iterable[Kept], reason: str) -> list[DeadLetter]:
    """Send back what will not be said again."""
    return [dead_letter_of(one.row, UndecodableRecord("refused", reason)) for one in kept]


def written(decisions: Iterable[Publication], outlet: Outlet) -> list[Record]:
    """Write what is said of a failure; if the summary is what cannot be written, the old one stays.

    The history's entry is made of plain words, and always can be.
    """
    records = []
    for decision in decisions:
        try:
            records.append(record_of(decision, outlet))
        except ValueError:  # what pydantic raises
            if not isinstance(decision, GroupSummarised):
                raise
    return records


def strategy_of(group: GroupState, general: Allocator) -> Allocator:
    """Return whom to ask; if the group's own is not to be had, that is said when it is asked."""
    name = group.strategy
    return general if name is None else partial(_asked_by_name, name)


def _asked_by_name(name: str, request: AllocationRequest) -> AllocationPlan:
    return _named(name)(request)


_named = lru_cache(maxsize=64)(allocator)
"""The strategy that an operator chose for a group (``wire.commands`` has checked the name)."""
