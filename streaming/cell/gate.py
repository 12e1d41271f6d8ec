"""The gate: when a controller starts, nothing is decided before all that was there has been read.

A batch has a limit, so what waits for a controller that starts comes to it in pieces: what its
predecessors have published (``adoption``), what members have said meanwhile, and perhaps a day of
beats. All of that is the past, and a piece of it does not show who is there, or what may be
published. So the pieces wait here, in the cell, for two things. The driver has told everything
(``Told``). And one of its ticks shows that every beat of the past has been read: it was written
after a batch was committed that held an earlier tick and all that was urgent then. Then all of it
is folded as one batch, and every session begins anew. A cell without a past begins with its gate
shut. The driver's last record says how many there were. If Kafka has lost some of them, a tick
shows that as well, and the driver tells everything again.

A batch that was not finished may be published, in part or all of it. It is decided again, to the
same bytes, unless settings or the release have changed since. Then it waits as well: decided
otherwise it would give an epoch a second meaning, and members would not read that.

Of what members say again and again only the last waits (``waiting``). What is no beat is a dead
letter at once.

Called by ``fold`` with each batch. Its one rule: nothing is decided before all that one start told
has been read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from msgspec import msgpack

from rebalance.clock import LogClock
from rebalance.ids import Millis
from sinks import BadRecord
from streaming.cell.stored.rows import GateForm, row_form, row_of
from streaming.cell.stored.unreadable import understood
from streaming.cell.waiting import LastBeats, Waiting
from streaming.wire.decoding import Decoder, dead_letter_of
from streaming.wire.rows import Row, in_log_order
from trimtab.protocol import (
    HEARTBEATS,
    LATENCY,
    ROUTES,
    TICK_KEY,
    Adopt,
    Advance,
    Record,
    Tick,
    Told,
    Topic,
    UndecodableRecord,
    decode,
)


@dataclass(frozen=True, slots=True)
class Gate:
    """What a cell knows of the controller that runs it."""

    start: str = ""
    """The last start of which something was told; empty: none, as in a part of a recording."""
    shut: bool = False
    told: bool = False
    """All that is published has been told."""
    ticks: int = 0
    """How many have been read that were written when all that is urgent had been."""
    waiting: tuple[Row, ...] = ()
    beats: Mapping[str, Row] = field(default_factory=dict)
    """The last full one of each life."""


class Untold(Exception):  # noqa: N818 - it names what happened
    """Kafka has lost some of what this controller was told."""


class Opening(NamedTuple):
    """The start of the controller that folds."""

    start: str = ""
    """Its name; empty: that of nobody, as for a part of a recording."""
    after: int = -1
    """At which offset it has begun to tell what is published."""
    rules_differ: bool = False
    """What it repeats may have been decided under other settings, or by another release."""


class Passed(NamedTuple):
    """What a gate lets through."""

    gate: Gate
    rows: Sequence[Row]
    opened: bool = False
    letters: Sequence[BadRecord] = ()
    """What cannot be read of that which does not wait."""
    dropped: Sequence[int] = ()
    """The offsets of the short beats that were read."""


_encode: Final = msgpack.Encoder().encode
_decode: Final = msgpack.Decoder(GateForm).decode
_OPEN: Final = Gate()
NO_OPENING: Final = Opening()


def write(gate: Gate) -> bytes:
    """Write a gate; one that has always been open is nothing."""
    if gate == _OPEN:
        return b""
    form = GateForm(
        start=gate.start,
        shut=gate.shut,
        told=gate.told,
        ticks=gate.ticks,
        waiting=[row_form(it) for it in gate.waiting],
        beats={life: row_form(it) for life, it in gate.beats.items()},
    )
    return _encode(form)


@understood
def read(data: bytes) -> Gate:
    """Read a gate; nothing is one that has always been open."""
    if not data:
        return _OPEN
    form = _decode(data)
    return Gate(
        start=form.start,
        shut=form.shut,
        told=form.told,
        ticks=form.ticks,
        waiting=tuple(row_of(it) for it in form.waiting),
        beats={life: row_of(it) for life, it in form.beats.items()},
    )


SHUT: Final = write(Gate(shut=True))
"""Of a cell that begins."""


def passed(
    gate: Gate, ordered: Sequence[Row], decoder: Decoder, opening: Opening = NO_OPENING
) -> Passed:
    """Let a batch through, or keep it with what came before it.

    Records that an earlier start told do not open the gate: they tell of an older past.

    Raises:
        Untold: What it was told is not there.
    """
    for row in ordered:
        if decoder.is_told(row):
            gate = _noted(gate, row, ordered, decoder, opening.after)
    if opening.rules_differ and gate.start != opening.start:
        gate = replace(gate, shut=True, told=False, ticks=0)
    if opening.start and (gate.start != opening.start or (gate.shut and not gate.told)):
        _look_for_loss(ordered, decoder, opening.start)
    if not gate.shut:
        return Passed(gate, ordered)
    gate, through, beats = _gathered(gate, ordered, decoder)
    if not (gate.ticks and gate.told):
        return Passed(gate, through, letters=beats.letters, dropped=beats.dropped)
    rows = in_log_order([*gate.waiting, *gate.beats.values(), *through])
    return Passed(Gate(gate.start), rows, opened=True, letters=beats.letters)


def _look_for_loss(ordered: Sequence[Row], decoder: Decoder, start: str) -> None:
    """Raise if a tick shows that this start has read all it was told, because it has not."""
    for row in ordered:
        tick = tick_of(row) if decoder.is_tick(row) else None
        if tick is not None and tick.start == start and tick.seen is not None:
            lost = f"Kafka has lost what start {start} was told of partition {row.partition}"
            raise Untold(lost)


def _gathered(
    gate: Gate, ordered: Sequence[Row], decoder: Decoder
) -> tuple[Gate, list[Row], LastBeats]:
    """Keep rows; return those that need not wait, about brokers, and what the beats came to."""
    waiting, ticks = Waiting(gate.waiting, decoder), gate.ticks
    through: list[Row] = []
    beats = LastBeats(gate.beats, decoder)
    for row in ordered:
        topic = decoder.topics[row.topic]
        if topic is LATENCY:
            through.append(row)
        elif topic is not HEARTBEATS:
            if not _is_of_another(row, gate.start, decoder):
                waiting.take(row)
        elif not decoder.is_tick(row):
            beats.take(row)
        elif (tick := tick_of(row)) is None:
            beats.letters += no_tick(row, decoder)
        elif tick.start == gate.start:
            waiting.take(row)
            ticks += tick.seen is not None
    gate = replace(gate, ticks=ticks, waiting=waiting.rows, beats=beats.kept)
    return gate, through, beats


def tick_of(row: Row) -> Tick | None:
    """Read a tick."""
    record = _record(HEARTBEATS, row)
    return record if isinstance(record, Tick) else None


def is_own(row: Row, start: str) -> bool:
    """Tell a tick that counts: where a controller is known, only its own."""
    return not start or _own_tick(row, start) is not None


def no_tick(row: Row, decoder: Decoder) -> list[BadRecord]:
    """Set aside what has the key of a tick and is none, in one of the cells that it went to."""
    is_elsewhere = decoder.place is not None and decoder.place.slot > 0
    if is_elsewhere or tick_of(row) is not None:
        return []
    return [dead_letter_of(row, UndecodableRecord("bad_key", "the key of a tick, which it is not"))]


def moved(clock: LogClock, row: Row, start: str, max_step: Millis) -> LogClock:
    """Return the clock after a record of the heartbeats.

    Where a controller is known, only its own ticks move the clock; else each record does.
    """
    appended = Millis(row.appended_ms)
    if not start:
        return clock.advanced(appended, max_step)
    tick = _own_tick(row, start)
    return clock if tick is None else clock.ticked(tick, appended, max_step)


def _own_tick(row: Row, start: str) -> Tick | None:
    tick = tick_of(row) if row.key == TICK_KEY else None
    return tick if tick is not None and tick.start == start else None


def _noted(gate: Gate, row: Row, batch: Sequence[Row], decoder: Decoder, after: int) -> Gate:
    """Note that a controller is being told what is published, or that it has been told all."""
    record = _record(ROUTES, row)
    if not isinstance(record, Told):
        return gate
    if not record.whole:
        waiting = tuple(it for it in gate.waiting if not _is_of_another(it, record.start, decoder))
        return Gate(record.start, shut=True, waiting=waiting, beats=gate.beats)
    told = row.offset > after and record.start == gate.start
    told = told and is_whole(record, [*gate.waiting, *batch], decoder)
    return replace(gate, told=True) if told else gate


def _is_of_another(row: Row, start: str, decoder: Decoder) -> bool:
    """Tell whether an earlier start was told this, which then failed: it is told anew.

    Starts may fail very often in a week. Kept, what each was told would be more than all else.
    """
    if not decoder.is_found(row) or _names(row, start):
        return False
    return isinstance(_record(ROUTES, row), Adopt | Advance)


def _names(row: Row, start: str) -> bool:
    """Tell whether a record of what was found published is of this start, without decoding it."""
    return f'"{start}"'.encode() in (row.value or b"")


def is_whole(word: Told, rows: Iterable[Row], decoder: Decoder) -> bool:
    """Tell whether all is there that a cell was told, by the count of the start's last ``told``."""
    slot = decoder.place.slot if decoder.place else 0
    found = sum(decoder.is_found(row) and _names(row, word.start) for row in rows)
    return found >= sum((word.counts or ())[slot : slot + 1])


def _record(topic: Topic[Any], row: Row) -> Record | None:
    try:
        record: Record = decode(topic, row.value)
    except UndecodableRecord:
        return None
    return record
