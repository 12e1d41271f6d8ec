"""The parts of a fold that the bench times."""

from bench.fold.parts import parts


def test_each_part_can_be_called_again_and_again() -> None:
    """What is timed does its work, and does it twice."""
    found = list(parts(small=2, large=3))
    for part in found:
        part.call()
        part.call()

    assert len({part.name for part in found}) == len(found)
    assert all(part.times > 0 for part in found)
