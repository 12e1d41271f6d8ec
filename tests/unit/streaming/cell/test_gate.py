"""Nothing is decided before all that was there has been read, wherever batches end."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from sinks import Record
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import Folded, fold
from streaming.cell.gate import SHUT, Gate, Opening, Untold, is_whole
from streaming.cell.gate import read as read_gate
from streaming.cell.hearing import CellRules
from streaming.wire.rocketmq import CellPlace
from streaming.wire.rows import Row
from tests.builders.log import LIFE, Log, beat, join
from tests.unit.streaming.cell.started import (
    NEW,
    OLD,
    PLACE,
    RULES,
    THIRD,
    on,
    starts,
    state_of,
    tick,
    told,
    worked,
)
from trimtab.protocol import (
    ASSIGNMENTS,
    DEADLETTERS,
    HEARTBEATS,
    MEMBERS,
    ROUTES,
    TOLD_KEY,
    Advance,
    Assignment,
    Beat,
    Told,
    Topic,
    decode,
)


def lived(rows: Sequence[Row], cuts: Sequence[int], known: CellRules) -> list[Folded]:
    """Fold rows, as they stand in their log, in batches that end there."""
    cell, batches = Cell(gate=SHUT), []
    for first, last in pairwise([0, *cuts, len(rows)]):
        if rows[first:last]:
            batches.append(fold(read(write(cell)), rows[first:last], known))
            cell = batches[-1].cell
    return batches


def test_an_adoption_that_is_cut_anywhere_is_whole_before_it_acts() -> None:
    """Nobody is granted anew what is published, wherever one start's records are cut."""
    log = Log()
    published = worked(log)
    for second in range(3, 9):
        log.append(HEARTBEATS, "billing", beat("a", sequence=second), at=second * 1_000)
    known = starts(log, published, 9_000)
    before = {it.member: set(it.hold) for it in on(ASSIGNMENTS, published)}
    assert 3 == len(before)
    for cut in range(1, len(log.rows)):
        *early, last = lived(log.rows, [cut], known)
        assert [] == [it for batch in early for it in batch.records]
        now = on(ASSIGNMENTS, last.records)
        assert before == {it.member: set(it.hold) for it in now}
        assert {3} == {it.epoch for it in now}  # 2 is left out: an older one may write under it


def test_it_is_whole_read_record_by_record() -> None:
    """The same, in as many batches as there are records."""
    log = Log()
    known = starts(log, worked(log), 9_000)
    *early, last = lived(log.rows, range(1, len(log.rows)), known)

    assert [] == [it for batch in early for it in batch.records]
    assert {"a", "b", "c"} == set(state_of(last.cell).membership.members)
    assert () == read_gate(last.cell.gate).waiting
    assert log.rows[0] in last.rows  # it was decided about now, with its own time


def test_what_earlier_starts_were_told_is_not_kept() -> None:
    """A controller that fails at each start is told everything as often; one telling is kept."""
    log, kept = Log(), list[int]()
    published, cell = worked(log), Cell(gate=SHUT)
    for failures in range(5):
        known = starts(log, published, 9_000, f"17673120{failures:05d}-0b5e55ed")
        told_it = [it for it in log.read() if it.topic == "t.routes"]
        folded = fold(read(write(cell)), told_it, known)
        cell = folded.cell
        waiting = read_gate(cell.gate).waiting
        kept.append(sum(b'"adopt"' in (it.value or b"") for it in waiting))

    assert [3] * 5 == kept


def test_what_an_older_start_was_told_opens_nothing() -> None:
    """It is of an older past; without that rule the first cut would decide upon it."""
    log = Log()
    published = worked(log)
    past = len(log.rows)
    known = starts(log, published, 9_000)

    assert [] == lived(log.rows, [past], known)[0].records
    assert [] != lived(log.rows, [past], RULES)[0].records


@pytest.mark.parametrize("lost", [*([it] for it in range(4)), [1, 2], [0, 1, 2, 3]])
def test_what_is_lost_between_the_words_is_noticed(lost: Sequence[int]) -> None:
    """Both words are there, and some of what was told between them is not, wherever it is cut."""
    log = Log()
    published = worked(log)
    known = starts(log, published, 9_000)
    found = [
        row
        for row in log.rows
        if known.decoder.is_found(row) and NEW.encode() in (row.value or b"")
    ]
    assert 4 == len(found)
    gone = {found[it].offset for it in lost}
    rows = [row for row in log.rows if row.topic != found[0].topic or row.offset not in gone]
    for cut in range(len(rows)):
        with pytest.raises(Untold, match="lost"):
            lived(rows, [cut], known)


def test_each_cell_counts_what_is_its_own() -> None:
    """The last word goes to all cells of a partition, and says how much each of them was told."""
    log, group = Log(), Advance(start=NEW, epoch=4, decided_ms=1)
    row = log.append(ROUTES, "billing", group, at=1)
    word = Told(controller="c", start=NEW, whole=True, counts=(1, 2))
    first, second = (replace(RULES.decoder, place=CellPlace(PLACE, slot, 2)) for slot in (0, 1))

    assert is_whole(word, [row], first)
    assert not is_whole(word, [], first)
    assert is_whole(word, [row, row], second)
    assert not is_whole(word, [row], second)


def test_sessions_begin_anew_when_it_opens() -> None:
    """Nobody listened, as far as a controller knows: no beat of the past is needed."""
    log = Log()
    published = worked(log)
    for second in range(3, 90):
        log.append(HEARTBEATS, "billing", beat("a", sequence=second), at=second * 1_000)
    known = starts(log, published, 90_000)
    cell = lived(log.rows, [], known)[-1].cell

    assert {"a", "b", "c"} == set(state_of(cell).membership.members)
    log.read()
    for number in range(2, 45):
        at = 91_000 + number * 1_000
        log.append(HEARTBEATS, "billing", beat("a", sequence=200 + number), at=at)
        tick(log, NEW, number, number - 1, at)
        cell = fold(cell, log.read(), known).cell
    assert {"a"} == set(state_of(cell).membership.members)


def test_of_beats_only_the_last_full_one_of_a_life_waits() -> None:
    """Five million of them are read, and what waits is a few records. Bad ones are set aside."""
    log, cell = Log(), Cell(gate=SHUT)
    letters: list[Record] = []
    for second in range(1, 50):
        log.append(HEARTBEATS, "billing", beat("a", sequence=2 * second), at=second * 1_000)
        full = Beat(member="a", incarnation=LIFE, sequence=2 * second + 1, epoch=1, owned=())
        log.append(HEARTBEATS, "billing", full, at=second * 1_000)
        log.append(HEARTBEATS, "billing", b'{"owned": garbage', at=second * 1_000)
        log.append(HEARTBEATS, "billing", b"[]", at=second * 1_000)
        cell, records, _ = fold(cell, log.read(), RULES)
        letters += records
    gate = read_gate(cell.gate)

    assert () == gate.waiting
    assert [49_000] == [it.appended_ms for it in gate.beats.values()]
    assert 49 * ["garbage", "not_object"] == [it.reason for it in on(DEADLETTERS, letters)]


def test_a_beat_that_waits_is_read_once_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of its life come after it."""
    log, cell = Log(), Cell(gate=SHUT)
    reads: list[bytes | None] = []

    def counted(topic: Topic[Any], value: bytes | None) -> object:
        reads.append(value)
        return decode(topic, value)

    monkeypatch.setattr("streaming.wire.decoding.decode", counted)
    for sequence in range(1, 41):
        full = Beat(member="a", incarnation=LIFE, sequence=sequence, epoch=1, owned=())
        log.append(HEARTBEATS, "billing", full, at=1_000)
        if sequence % 20 == 0:
            cell = fold(cell, log.read(), RULES).cell

    assert 20 + 1 + 20 == len(reads)


@pytest.mark.parametrize("lost", [(NEW, True), (NEW, False), (OLD, False)])
@pytest.mark.parametrize("gate", [SHUT, b""])
def test_a_lost_word_is_noticed_and_told_again(lost: tuple[str, bool], gate: bytes) -> None:
    """Nothing is decided without it; and the batch that showed it is no harm to the next start."""
    log, cell = Log(), Cell(gate=gate)
    start, begun = lost
    if begun:  # only the last word is lost, or another start's is all there is
        told(log, start, 1_000, whole=False)
    if start == OLD:
        told(log, OLD, 1_000, whole=True)
    log.append(MEMBERS, "billing", join("a"), at=1_000)
    tick(log, NEW, 0, None, 1_000)
    tick(log, NEW, 1, None, 2_000)
    known = replace(RULES, opening=Opening(NEW, 0))
    cell = fold(cell, log.read(), known).cell
    tick(log, NEW, 2, 0, 3_000)
    rows = log.read()
    with pytest.raises(Untold, match="lost"):
        fold(cell, rows, known)

    again = replace(RULES, opening=Opening(THIRD, told(log, THIRD, 9_000, whole=False).offset))
    cell = fold(cell, rows, again).cell
    told(log, THIRD, 9_000, whole=True)
    tick(log, THIRD, 0, None, 9_000)
    tick(log, THIRD, 1, 0, 10_000)
    cell = fold(cell, log.read(), again).cell
    assert {"a"} == set(state_of(cell).membership.members)


def test_only_what_is_heard_stands_for_the_last_full_beat_of_a_life() -> None:
    """Neither one that is too long for a beat, nor one that was delayed, does."""
    log, cell = Log(), Cell(gate=SHUT)
    for sequence, size in ((7, None), (6, None), (10_000, 5_000_000)):
        full = Beat(member="a", incarnation=LIFE, sequence=sequence, epoch=1, owned=())
        row = log.append(HEARTBEATS, "billing", full, at=1_000)
        log.rows[-1] = row._replace(size=size or row.size)
    cell, letters, _ = fold(cell, log.read(), RULES)
    kept = [decode(HEARTBEATS, it.value) for it in read_gate(cell.gate).beats.values()]

    assert [7] == [it.sequence for it in kept if isinstance(it, Beat)]
    assert ["oversize"] == [it.reason for it in on(DEADLETTERS, letters)]


@pytest.mark.parametrize("value", [b"", b"{}", b"[1]", None])
def test_a_word_that_cannot_be_read_is_none(value: bytes | None) -> None:
    """It neither shuts nor opens anything, and breaks nothing."""
    log = Log()
    log.append(ROUTES, TOLD_KEY, value, at=1, partition=PLACE)
    log.append(MEMBERS, "billing", join("a"), at=1_000)
    folded = fold(Cell(), log.read(), RULES)

    assert Gate() == read_gate(folded.cell.gate)
    assert ["a"] == [it.member for it in on(ASSIGNMENTS, folded.records)]


def test_assignments_are_what_they_were() -> None:
    """The builders above do what they say."""
    records = on(ASSIGNMENTS, worked(Log()))

    assert [2, 2, 2] == [len(it.hold) for it in records if isinstance(it, Assignment)]
