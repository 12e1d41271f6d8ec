"""The operator as PySpark calls it: again and again in one worker, which looks for cycles.

What PySpark does after each task is `gc.collect()`, through all that has not been frozen.
"""

import gc
from collections.abc import Iterator

import pytest

from bench.beats.full_cell import FullCell
from streaming import cell_operator
from streaming.metrics.tally import NO_TOPIC, read
from streaming.wire.rows import Row
from trimtab.protocol import DEADLETTERS, DEFAULT_PREFIX, MEMBERS, Join, Leave, decode, encode


@pytest.fixture
def full_cell() -> Iterator[FullCell]:
    """A cell at work; whatever was frozen is not any more afterwards."""
    yield FullCell(40)
    gc.unfreeze()


def test_what_stays_is_not_looked_through_after_each_task(full_cell: FullCell) -> None:
    """Modules, and groups in the caches: with 10,000 members it took two thirds of a core."""
    for _ in range(2):
        full_cell.fold(full_cell.second())

    assert len(gc.get_objects()) < gc.get_freeze_count() / 20


def test_what_is_garbage_is_found_in_the_end(
    full_cell: FullCell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it was alive when everything was frozen."""
    ring: list[object] = []
    ring.append(ring)
    witness = Witness()
    ring.append(witness)
    full_cell.fold(full_cell.second())
    del ring, witness
    gc.collect()
    assert Witness.alive == 1

    monkeypatch.setattr(cell_operator, "_LOOKED_THROUGH_EVERY", 1)
    full_cell.fold(full_cell.second())

    assert Witness.alive == 0


def test_a_record_in_a_partition_that_was_added_is_set_aside(full_cell: FullCell) -> None:
    """Topics cannot be given more while groups use them; no other record is affected."""
    join = Join(member="m", incarnation="1767225600000-9f86d081", sequence=1, topics=("orders",))
    stray = Row(f"{DEFAULT_PREFIX}{MEMBERS.name}", 7, 3, 5, b"group-0", encode(join), 90)
    before = full_cell.state.kept
    letter, _ = full_cell.fold([stray])
    said = decode(DEADLETTERS, letter.value)

    assert ("misrouted", 7, 3) == (said.reason, said.partition, said.offset)
    assert before == full_cell.state.kept
    assert letter in full_cell.fold([*full_cell.second(), stray])


def test_a_rebalance_is_counted_from_the_record_that_caused_it(full_cell: FullCell) -> None:
    """The driver has nothing of it but the last row, which no topic gets."""
    leave = Leave(member="member-1", incarnation="1767225600000-9f86d081", sequence=9)
    second = full_cell.second()
    at = min(it.appended_ms for it in second) - 7
    left = Row(f"{DEFAULT_PREFIX}{MEMBERS.name}", 0, 9_999, at, b"group-0", encode(leave), 90)
    *_, (topic, _, _, tally, _) = full_cell.fold([*second, left])

    assert NO_TOPIC == topic
    assert at == read(tally or b"").oldest_ms


class Witness:
    """It knows how many there are of it."""

    alive = 0

    def __init__(self) -> None:
        Witness.alive += 1

    def __del__(self) -> None:
        Witness.alive -= 1
