"""The cell that the bench of beats measures is one in which beats are counted."""

from bench.beats.full_cell import FullCell
from streaming.cell import pulses
from streaming.cell.codec import read


def test_everybody_in_the_full_cell_is_counted() -> None:
    """After its first seconds each member stands in the columns, and its number grows with time."""
    full_cell = FullCell(groups=3, members=2, queues=2)
    before = pulses.read(read(full_cell.state.kept or b"").pulses)
    full_cell.fold(full_cell.second(one_in=1))
    after = pulses.read(read(full_cell.state.kept or b"").pulses)

    assert 6 == len(before.first)
    assert (before.number + 1).tolist() == after.number.tolist()
    assert (before.seen < after.seen).all()
