"""The tally: what a batch came to in one cell, counted where it was decided.

It is made of the records that the cell is about to publish, so beats cost nothing: most batches
publish nothing, and have no tally. It leaves the worker as one more row of the batch, which Spark
brings to the driver as an observed metric, with the commit (``pipeline``). So a batch that is
repeated counts once. A few records go with it whole, for the log.

Made by ``cell_operator``, read by ``account``. It is small, however large the batch.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from rebalance.groups.members.mass_silence import PAUSED
from sinks import Record
from streaming.metrics.catalogue import MOVE_S
from streaming.wire.rows import Row
from trimtab.protocol import BROKERS, DEADLETTERS, HISTORY, read_broker_key

NO_TOPIC: Final = ""
"""The topic of the row that is a tally; it is never written."""
TOLD: Final = 10
"""Records that a cell hands on whole in a batch: the log of a storm is cut, its counts are not."""
_PAIRS: Final = 200
"""Pairs of group and cause that are counted by name in a batch of a cell: 10 kB."""
OTHER: Final = "_other"
"""What counts all further ones of that batch."""
_NOTABLE: Final = {
    "rebalance",
    "command",
    "pause_ended",
    "claim",
    "conflict",
    "hold",
    "ailment",
    "verdict",
}
"""Kinds of entries that the log has a line for."""
_EVENTS: Final = {"expired", "fenced"}
_ASKED: Final = {"released", "taken"}
"""How a hand-over ends that the holder was asked for; others, too, if it was told before."""
_READ: Final = {HISTORY.name, DEADLETTERS.name}
"""Topics whose records are looked into, but for verdicts."""


Entry = dict[str, Any]
"""An entry of the history, or a dead letter, as on the wire; of lists only the length."""
Letters = tuple[str, str, int, int]
"""Dead letters: the topic that they were found on, the reason, how many there are, and how many of
them were read by this very batch: others have waited (``gate``, ``containment``)."""


class Tally(Struct, omit_defaults=True):
    """What was published, by what it is."""

    written: dict[str, int] = field(default_factory=dict)
    """By topic, without the prefix."""
    letters: list[Letters] = field(default_factory=list)
    rebalances: list[tuple[str, str, int, int]] = field(default_factory=list)
    """Group, kind of the cause, how many, and how many queues move."""
    changes: list[tuple[str, str, int]] = field(default_factory=list)
    """Changes of members: the event, and the kind of the cause."""
    handovers: dict[str, int] = field(default_factory=dict)
    """By their ending."""
    durations: list[int] = field(default_factory=list)
    """How many of them are in each bucket of ``MOVE_S``."""
    duration_s: float = 0.0
    """Of all of them."""
    notes: dict[str, int] = field(default_factory=dict)
    """All other entries of the history, by kind; what is no news to alert on has one of its own."""
    oldest_ms: int | None = None
    """The broker's time of the record that set the first rebalance off."""
    verdicts: list[tuple[str, str, bool, bool]] = field(default_factory=list)
    """The last on each broker: cluster, broker, available, panic."""
    gone: list[tuple[str, str]] = field(default_factory=list)
    """Brokers of which nothing is known any more: cluster, broker."""
    ejections: list[tuple[str, str, int, str]] = field(default_factory=list)
    """Brokers that are out of use: cluster, broker, since when, and by what; each time once."""
    told: list[Entry] = field(default_factory=list)
    """For the log."""
    untold: int = 0
    """How many more there were."""


class _Cause(Struct):
    kind: str = ""
    detail: str | None = None
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None


class _Entry(Struct):
    """What is looked at in a record, of whatever kind it is."""

    kind: str = ""
    group: str = ""
    cause: _Cause = field(default_factory=_Cause)
    at_ms: int = 0
    moves: int = 0
    event: str = ""
    duration_ms: int = 0
    ending: str = ""
    reason: str | None = ""
    topic: str = ""
    partition: int = 0
    offset: int = 0
    cluster: str = ""
    broker: str = ""
    available: bool = True
    since_ms: int = 0
    detector: str | None = None
    panic: bool = False


def _kind_of(entry: _Entry) -> str:
    """Tell what asks for somebody from what is over, or was asked for."""
    if entry.kind == "ailment" and not entry.reason:
        return "ailment_over"
    if entry.kind == "hold" and entry.cause.detail == PAUSED:
        return "hold_paused"
    return entry.kind


_decode: Final = msgspec.json.Decoder(_Entry).decode
_whole: Final = msgspec.json.Decoder(dict[str, Any]).decode
_encode: Final = msgspec.json.Encoder().encode
read: Final = msgspec.json.Decoder(Tally).decode


def tallied(
    records: Iterable[Record], rows: Sequence[Row], prefix: str, decided: Iterable[Row] = ()
) -> bytes | None:
    """Count what a cell publishes; None if that is nothing.

    Args:
        records: What it publishes.
        rows: What it has read for that; looked at only if there are dead letters.
        prefix: Of our topics.
        decided: What it decided about; looked at only if there are rebalances.
    """
    count = _Count(rows, prefix)
    for record in records:
        count.take(record)
    return count.total(decided)


class _Count:
    """A tally that grows."""

    def __init__(self, rows: Sequence[Row], prefix: str) -> None:
        self._rows, self._prefix = rows, prefix
        self._tally = Tally()
        self._written = Counter[str]()
        self._letters: dict[tuple[str, str], list[int]] = {}
        self._changes = Counter[tuple[str, str]]()
        self._rebalances: dict[tuple[str, str], list[int]] = {}
        self._causes: dict[tuple[object, ...], int] = {}
        self._handovers = Counter[str]()
        self._notes = Counter[str]()
        self._ejections: dict[tuple[str, str, int], str] = {}
        self._verdicts: dict[tuple[str, str], _Entry | None] = {}

    def take(self, record: Record) -> None:
        topic = record.topic.removeprefix(self._prefix)
        self._written[topic] += 1
        if topic == BROKERS.name:
            self._judge(record)
            return
        if topic not in _READ or record.value is None:
            return
        entry = _decode(record.value)
        if topic == DEADLETTERS.name:
            self._count_letter(entry)
        else:
            self._note(entry)
        refused = topic == DEADLETTERS.name and entry.reason == "refused"
        if refused or entry.kind in _NOTABLE or entry.event in _EVENTS:
            self._tell(record.value)

    @cached_property
    def _firsts(self) -> dict[tuple[str, int], int]:
        """The first offset that was read of each partition."""
        firsts: dict[tuple[str, int], int] = {}
        for row in self._rows:
            place = row.topic, row.partition
            firsts[place] = min(row.offset, firsts.get(place, row.offset))
        return firsts

    def _count_letter(self, letter: _Entry) -> None:
        """Count a dead letter."""
        kind = letter.topic.removeprefix(self._prefix), letter.reason or ""
        sums = self._letters.setdefault(kind, [0, 0])
        first = self._firsts.get((letter.topic, letter.partition))
        sums[0] += 1
        sums[1] += first is not None and first <= letter.offset

    def _judge(self, record: Record) -> None:
        """Keep the last verdict on a broker; None: nothing is known of it any more."""
        place = read_broker_key(record.key)
        self._verdicts[place] = None if record.value is None else _decode(record.value)

    def _note(self, entry: _Entry) -> None:
        """Count an entry of the history."""
        if entry.kind == "rebalance":
            cause = entry.cause
            self._causes[cause.topic, cause.partition, cause.offset] = entry.at_ms
            kind = entry.group, cause.kind
            if kind not in self._rebalances and len(self._rebalances) >= _PAIRS:
                kind = OTHER, cause.kind
            sums = self._rebalances.setdefault(kind, [0, 0])
            sums[0] += 1
            sums[1] += entry.moves
        elif entry.kind == "member":
            self._changes[entry.event, entry.cause.kind] += 1
        elif entry.kind == "handover":
            self._pass_on(entry)
        else:
            self._notes[_kind_of(entry)] += 1
            if entry.kind == "verdict" and not entry.available:
                place = entry.cluster, entry.broker, entry.since_ms
                self._ejections[place] = entry.detector or ""

    def _pass_on(self, handover: _Entry) -> None:
        """Count a hand-over, and how long it took if the holder was asked for it."""
        tally, took_s = self._tally, handover.duration_ms / 1000
        self._handovers[handover.ending] += 1
        if took_s or handover.ending in _ASKED:
            tally.durations = tally.durations or [0] * (len(MOVE_S) + 1)
            tally.durations[bisect_left(MOVE_S, took_s)] += 1
            tally.duration_s += took_s

    def _tell(self, value: bytes) -> None:
        if len(self._tally.told) < TOLD:
            said = _whole(value)
            short = {name: len(it) if isinstance(it, list) else it for name, it in said.items()}
            self._tally.told.append(short)
        else:
            self._tally.untold += 1

    def _oldest_ms(self, decided: Iterable[Row]) -> int | None:
        """Look for the causes: a rebalance has the time of the last record that its batch read.

        One whose record an earlier batch has read waited for its time, which that last one showed.
        """
        causes = self._causes
        if causes:
            causes |= {it[:3]: it.appended_ms for it in decided if it[:3] in causes}
        return min(causes.values(), default=None)

    def total(self, decided: Iterable[Row]) -> bytes | None:
        if not self._written:
            return None
        tally = self._tally
        tally.oldest_ms = self._oldest_ms(decided)
        tally.written, tally.handovers = dict(self._written), dict(self._handovers)
        tally.notes = dict(self._notes)
        tally.letters = [(*it, count, fresh) for it, (count, fresh) in self._letters.items()]
        tally.changes = [(*it, count) for it, count in self._changes.items()]
        tally.rebalances = [(*it, count, moves) for it, (count, moves) in self._rebalances.items()]
        tally.ejections = [(*it, detector) for it, detector in self._ejections.items()]
        tally.verdicts = [
            (*it, one.available, one.panic) for it, one in self._verdicts.items() if one
        ]
        tally.gone = [it for it, one in self._verdicts.items() if one is None]
        return _encode(tally)
