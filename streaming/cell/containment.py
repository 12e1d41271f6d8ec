"""Containment: what is kept of a batch when the step of one group fails.

An exception concerns one group (``groups.ailments``). Its records of the batch are kept with the
time at which they were read, and are read again at the group's next change. If that fails as well,
the change is tried alone; if it succeeds, the kept records become dead letters with the reason.
There is room for what a batch usually holds; the rest become dead letters at once. So no record is
lost silently, and a record that causes the failure is out of the way at the next change.

The published records that a starting controller has read are never left out: without them a queue
that a member works on would be granted again. Until they are complete they wait here as well, but
not for ever: the history says that the group waits, and after a minute of log time the brain
continues with what there is (``rebalance.groups.handover.omissions``).

The last full beat of each life is kept, because it may be the only proof of a release. That its
sender is alive is noted at once.

Called by ``fold``. What is read again keeps the time at which it was read first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple

from msgspec import msgpack

from allocators import shipped
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator
from rebalance.groups.handover import omissions
from rebalance.groups.model.events import FOUND, BeatSeen, Begun, Event, Found, Moment, last_found
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName, Millis, Position
from rebalance.stamp import Stamp, Ticked
from sinks import BadRecord, Outlet, Publication, Record, record_of
from streaming.cell.stored.rows import KeptForm, row_form, row_of
from streaming.cell.stored.unreadable import understood
from streaming.wire.decoding import Decoder, OfGroup, dead_letter_of
from streaming.wire.rows import Row
from trimtab.protocol import UndecodableRecord

MOST: Final = 1_000
"""Records: twice what a large group says in the batch in which all of it joins."""
MOST_BYTES: Final = 1 << 20
"""As large as one record may be: it is written with the state in each batch."""
ROOMS: Final = 64
"""As many times that may be kept of what a start has found published: a record for each member."""
WAIT_MS: Final = Millis(60_000)
"""So long, on the log clock, it waits for the rest of an adoption. All of one start is in the log
before the query begins, and so in its first batch: what a minute of ticks has not brought is gone.
"""


class Kept(NamedTuple):
    """A record, and when it was heard on the log's clock."""

    row: Row
    clock: Millis
    heard: Millis


_encode: Final = msgpack.Encoder().encode
_decode: Final = msgpack.Decoder(list[KeptForm]).decode


def waits_until(moments: Iterable[Moment]) -> Millis | None:
    """Return how long to wait for the rest of an adoption; None: nothing is missing."""
    found = last_found(moments)
    if not found or not omissions.counts(found)[1]:
        return None
    return Millis(min(it.stamp.clock for it in found) + WAIT_MS)


def is_to_wait(moments: Iterable[Moment], now: Stamp) -> bool:
    """Tell whether the rest of an adoption may still come."""
    until = waits_until(moments)
    return until is not None and now.clock < until


def reason_to_wait(moments: Iterable[Moment]) -> str:
    """Say what is waited for, for how long, and how to end it sooner."""
    there, missing = omissions.counts(last_found(moments))
    return (
        f"{there} of {there + missing} published records were found at the start: the group waits "
        f"{WAIT_MS // 1000} s for the rest, and then goes on with care; to end it sooner, start "
        "the controller again"
    )


def is_change(moment: Moment) -> bool:
    """Tell whether an event says more than that its sender is alive."""
    return not isinstance(moment, BeatSeen | Begun | Ticked)


def kept_of(
    moments: Sequence[Moment], rows: Mapping[Position, Row], rooms: int = 1
) -> tuple[list[Kept], list[Kept]]:
    """Return what is kept for the next try, the oldest first, and what there is no room for.

    What the last start has found has a room of its own: without a part of it the group would wait.
    What earlier starts have found does not count any more.
    """
    found = {it.stamp.position for it in last_found(moments)}
    counting = [it for it in moments if not isinstance(it, FOUND) or it.stamp.position in found]
    said = _worth_keeping(counting, rows)
    first = _bounded([it for it in said if it.row.position in found], ROOMS)
    others = _bounded([it for it in said if it.row.position not in found], rooms)
    room = {id(it) for it in (*first, *others)}
    return [it for it in said if id(it) in room], [it for it in said if id(it) not in room]


def _worth_keeping(moments: Sequence[Moment], rows: Mapping[Position, Row]) -> list[Kept]:
    full = {
        moment.life: moment
        for moment in moments
        if isinstance(moment, BeatSeen) and moment.owned is not None
    }
    last = {id(moment) for moment in full.values()}
    return [
        Kept(rows[moment.stamp.position], moment.stamp.clock, moment.stamp.heard)
        for moment in moments
        if is_change(moment) or id(moment) in last
    ]


def _bounded(kept: Sequence[Kept], rooms: int) -> Sequence[Kept]:
    left = rooms * MOST_BYTES
    for place, one in enumerate(kept):
        left -= len(one.row.value or b"")
        if left < 0 or place == rooms * MOST:
            return kept[:place]
    return kept


def write(kept: Sequence[Kept]) -> bytes:
    """Write what is kept."""
    return _encode([KeptForm(row_form(it.row), it.clock, it.heard) for it in kept])


@understood
def read(data: bytes) -> list[Kept]:
    """Read what was kept."""
    return [Kept(row=row_of(it.row), clock=it.clock, heard=it.heard) for it in _decode(data)]


def again(kept: Iterable[Kept], group: GroupName, decoder: Decoder) -> Iterator[Event | Found]:
    """Return what was kept of a group as events again."""
    for row, clock, heard in kept:
        stamp = Stamp(clock, heard, Millis(row.appended_ms), row.position)
        for found in decoder.heard(row, stamp):
            if isinstance(found, OfGroup) and found.group == group:
                yield found.event


def returned(kept: Iterable[Kept], past: Iterable[Moment], reason: str) -> list[BadRecord]:
    """Send back what will not be said again; what was found published was heeded all the same."""
    found = {it.stamp.position for it in past if isinstance(it, FOUND)}
    rows = (one.row for one in kept if one.row.position not in found)
    return [dead_letter_of(row, UndecodableRecord("refused", reason)) for row in rows]


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
    """Return the strategy to ask; if the group's own does not exist, asking it raises."""
    name = group.rules.strategy
    return general if name is None else partial(_asked_by_name, name)


def _asked_by_name(name: str, request: AllocationRequest) -> AllocationPlan:
    return _named(name)(request)


_named = lru_cache(maxsize=64)(shipped)
"""The strategy that an operator chose for a group: never a user's own, which is code."""
