"""The ward that the bench of beats measures is one in which beats are counted."""

from bench.beats.ward import Ward
from streaming.cell import pulses
from streaming.cell.codec import read


def test_everybody_in_the_ward_is_counted() -> None:
    """After its first seconds each member stands in the columns, and its number grows with time."""
    ward = Ward(groups=3, members=2, queues=2)
    before = pulses.read(read(ward.state.kept or b"").pulses)
    ward.fold(ward.second(one_in=1))
    after = pulses.read(read(ward.state.kept or b"").pulses)

    assert 6 == len(before.first)
    assert (before.number + 1).tolist() == after.number.tolist()
    assert (before.seen < after.seen).all()
