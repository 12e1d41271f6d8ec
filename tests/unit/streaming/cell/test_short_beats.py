"""A gate that is shut reads each short beat once, and drops the next ones that are like it."""

from dataclasses import replace

import pytest

from rebalance.stamp import Stamp
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from streaming.cell.gate import SHUT
from streaming.cell.short_beats import ShortBeats
from streaming.wire.beats import split
from streaming.wire.decoding import Decoder
from streaming.wire.rocketmq import CellPlace
from streaming.wire.rows import Row
from tests.builders.log import LIFE, Log, beat
from tests.unit.streaming.cell.started import NEW, RULES, tick, told
from trimtab.protocol import HEARTBEATS, Beat, GrantRef

MEMBERS = ("a", "b", "c")


def said(log: Log, sequence: int) -> list[Row]:
    """Each member beats once, and the last one says as well what it owns."""
    for name in MEMBERS:
        log.append(HEARTBEATS, "billing", beat(name, sequence), at=sequence * 1_000)
    owned = (GrantRef("orders", "", sequence % 2, 1),)
    full = Beat(member="c", incarnation=LIFE, sequence=sequence + 1, epoch=1, owned=owned)
    log.append(HEARTBEATS, "billing", full, at=sequence * 1_000 + 1)
    return log.read()


def test_what_waits_is_the_same_and_short_beats_are_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In columns or not; the last full beat of each life is kept, whichever that is."""
    log, rules = Log(), replace(RULES, short_beats=ShortBeats())
    whole, cut = Cell(gate=SHUT), Cell(gate=SHUT)
    told(log, NEW, 900, whole=False)
    tick(log, NEW, 0, None, 900)
    reads, decoded = list[int](), Decoder.read

    def counting(decoder: Decoder, row: Row, stamp: Stamp) -> object:
        reads[-1] += row.topic == decoder.heartbeats
        return decoded(decoder, row, stamp)

    for sequence in range(1, 9, 2):
        rows = said(log, sequence)
        whole = fold(read(write(whole)), rows, RULES).cell
        others, beats = split(rows, RULES.decoder.heartbeats)
        reads.append(0)
        with monkeypatch.context() as noting:
            noting.setattr(Decoder, "read", counting)
            cut = fold(read(write(cut)), others, rules, beats).cell
        assert write(whole) == write(cut)

    assert len(MEMBERS) + 1 == reads[0]
    assert {2} == {*reads[2:]}, "the full one, and what was kept of the batch before"


def test_it_begins_anew_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has forgotten is read once more."""
    monkeypatch.setattr("streaming.cell.short_beats._MOST", 2)
    log, known = Log(), ShortBeats()
    rows = said(log, 1)
    _, beats = split(rows, RULES.decoder.heartbeats)
    assert beats is not None
    every = [*beats.fingerprints(beats.offset >= 0).values()]
    here, elsewhere = CellPlace(0, 0, 2), CellPlace(0, 1, 2)
    known.learn(every[:3], here)
    kept = known.among(beats, here).tolist()
    known.learn(every[3:], here)
    after = known.among(beats, here).tolist()
    known.forget(elsewhere)

    assert ([True, True, True, False], [False, False, False, True]) == (kept, after)
    assert not known.among(beats, elsewhere).any()
    assert known.among(beats, here).any()
    known.forget(here)
    assert not known.among(beats, here).any()
