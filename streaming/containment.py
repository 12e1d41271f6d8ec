"""Containment: what is kept of a batch that a group could not be stepped over.

An exception is one group's business (``rebalance.ailments``). What was said to it meanwhile is kept
beside it, each record with the time at which it was heard, and said again at its next change. If
that fails as well, the change is tried alone; if it succeeds, what was kept goes to the dead
letters with the reason. There is room for what a batch usually says; the rest goes there at once.
So nothing is lost in silence, and a record that is to blame is out of the way at the next change.

Of each life's beats the last full one is kept, which may be all that proves a release; that its
sender is there is noted at once.

Called by ``cell``. Its one rule: what is said again has the time at which it was heard first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import msgpack

from rebalance.events import Beaten, Event, Found, Moment, Stamp, Ticked
from rebalance.ids import GroupName, Millis, Position
from streaming.decoding import Addressed, Decoder, bury
from streaming.rows import Row
from trimtab.protocol import DeadLetter, UndecodableRecord

MOST: Final = 1_000
"""Records: twice what a large group says in the batch in which all of it joins."""
MOST_BYTES: Final = 1 << 20
"""As large as one record may be: it is written with the state in each batch."""


class Kept(NamedTuple):
    """A record, and when it was heard on the log's clock."""

    row: Row
    clock: Millis
    heard: Millis


_encode: Final = msgpack.Encoder().encode
_decode: Final = msgpack.Decoder(list[Kept]).decode


def is_change(moment: Moment) -> bool:
    """Tell whether anything is said but that somebody is still there."""
    return not isinstance(moment, Beaten | Ticked)


def kept_of(moments: Sequence[Moment], rows: Mapping[Position, Row]) -> list[Kept]:
    """Return what is to be said again."""
    full = {
        (moment.member, moment.incarnation): moment
        for moment in moments
        if isinstance(moment, Beaten) and moment.owned is not None
    }
    last = {id(moment) for moment in full.values()}
    return [
        Kept(rows[moment.stamp.position], moment.stamp.clock, moment.stamp.heard)
        for moment in moments
        if is_change(moment) or id(moment) in last
    ]


def bounded(kept: Sequence[Kept]) -> tuple[list[Kept], list[Kept]]:
    """Return what there is room for, the oldest first, and the rest."""
    room = MOST_BYTES
    for place, one in enumerate(kept):
        room -= len(one.row.value or b"")
        if room < 0 or place == MOST:
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
            if isinstance(found, Addressed) and found.group == group:
                yield found.event


def returned(kept: Iterable[Kept], reason: str) -> list[DeadLetter]:
    """Send back what will not be said again."""
    return [bury(one.row, UndecodableRecord("refused", reason)) for one in kept]
