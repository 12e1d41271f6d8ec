"""The gate: when a controller starts, nothing is decided before all that was there has been read.

A batch has a limit, so what waits for a controller that starts comes to it in pieces: what its
predecessors have published (``adoption``), what members have said meanwhile, and perhaps a day of
beats. All of that is the past, and of a piece of it nobody can tell who is there, or what may be
published. So it waits here, in the cell, until the driver has told everything (``Told``), and one
of its ticks has been read that was written when a batch with an earlier one, and with all that was
urgent then, had been committed: before that tick stands every beat of the past. Then all of it is
folded as one batch, and every session begins anew. A cell without a past begins with its gate shut.

Of beats of the past only the last full one of each life is kept, which may be all that proves a
release. The others prove that somebody was there; whoever still is will beat again.

Called by ``cell`` with each batch. Its one rule: what a start's driver has told is whole, or waits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from msgspec import msgpack

from rebalance.clock import LogClock
from rebalance.ids import Millis
from streaming.decoding import Decoder
from streaming.rows import Row, in_log_order
from trimtab.protocol import (
    HEARTBEATS,
    LATENCY,
    ROUTES,
    TICK_KEY,
    Beat,
    Record,
    Tick,
    Told,
    Topic,
    UndecodableRecord,
    decode,
)

_BARE: Final = b'"owned"'
"""What a beat that says only that its sender is there does not contain, as ours are written."""


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


class Passed(NamedTuple):
    """What a gate lets through."""

    gate: Gate
    rows: Sequence[Row]
    opened: bool = False


_PATIENCE: Final = 30
"""Ticks. If Kafka has lost the word that all was told, nothing would be decided for ever. Of a
group of which only a part was told nothing is decided even then (``containment``)."""
_encode: Final = msgpack.Encoder().encode
_decode: Final = msgpack.Decoder(Gate).decode
_OPEN: Final = Gate()
SHUT: Final = _encode(Gate(shut=True))
"""Of a cell that begins."""


def write(gate: Gate) -> bytes:
    """Write a gate; one that has always been open is nothing."""
    return _encode(gate) if gate != _OPEN else b""


def read(data: bytes) -> Gate:
    """Read a gate; nothing is one that has always been open."""
    return _decode(data) if data else _OPEN


def passed(gate: Gate, ordered: Sequence[Row], decoder: Decoder, after: int = -1) -> Passed:
    """Let a batch through, or have it wait with what came before it.

    What was told before this controller began to, ``after`` which offset that is, opens nothing: it
    tells of an older past.
    """
    for row in ordered:
        if decoder.is_told(row):
            gate = _noted(gate, row, after)
    if not gate.shut:
        return Passed(gate, ordered)
    gate, through = _gathered(gate, ordered, decoder)
    if not gate.ticks or (not gate.told and gate.ticks < _PATIENCE):
        return Passed(gate, through)
    rows = in_log_order([*gate.waiting, *gate.beats.values(), *through])
    return Passed(Gate(gate.start), rows, opened=True)


def _gathered(gate: Gate, ordered: Sequence[Row], decoder: Decoder) -> tuple[Gate, list[Row]]:
    """Have rows wait, and return those that need not: of brokers no past is adopted."""
    waiting, beats, ticks = list(gate.waiting), dict(gate.beats), gate.ticks
    through: list[Row] = []
    for row in ordered:
        topic = decoder.topics[row.topic]
        if topic is LATENCY:
            through.append(row)
        elif topic is not HEARTBEATS:
            waiting.append(row)
        elif (tick := tick_of(row) if decoder.is_tick(row) else None) is not None:
            if tick.start == gate.start:
                waiting = [it for it in waiting if not decoder.is_tick(it)]  # time stands still
                waiting.append(row)
                ticks += tick.seen is not None
        elif _is_full(row):
            beats[_life(row)] = row
    return replace(gate, ticks=ticks, waiting=tuple(waiting), beats=beats), through


def tick_of(row: Row) -> Tick | None:
    """Read a tick."""
    record = _record(HEARTBEATS, row)
    return record if isinstance(record, Tick) else None


def moved(clock: LogClock, row: Row, start: str, max_step: Millis) -> LogClock:
    """Return the clock after a record of the heartbeats.

    Where a controller is known, only its own ticks move the clock; else each record does.
    """
    appended = Millis(row.appended_ms)
    if not start:
        return clock.advanced(appended, max_step)
    tick = tick_of(row) if row.key == TICK_KEY else None
    return clock if tick is None or tick.start != start else clock.ticked(tick, appended, max_step)


def _noted(gate: Gate, row: Row, after: int) -> Gate:
    """Note that a controller is being told what is published, or has been."""
    record = _record(ROUTES, row)
    if not isinstance(record, Told):
        return gate
    if not record.whole:
        return replace(gate, start=record.start, shut=True, told=False, ticks=0)
    told = row.offset > after and record.start == gate.start
    return replace(gate, told=True) if told else gate


def _is_full(row: Row) -> bool:
    return row.value is not None and _BARE in row.value


def _life(row: Row) -> str:
    """Whose beat it is; what is none waits as well, and is buried in the end."""
    record = _record(HEARTBEATS, row)
    if not isinstance(record, Beat):
        return "@"
    return f"{(row.key or b'').hex()}/{record.incarnation}/{record.member}"


def _record(topic: Topic[Any], row: Row) -> Record | None:
    try:
        record: Record = decode(topic, row.value)
    except UndecodableRecord:
        return None
    return record
