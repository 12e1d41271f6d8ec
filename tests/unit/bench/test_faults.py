"""The bench of reports measures what it says: every second is folded, and the fault is found."""

from bench.faults.__main__ import measure
from bench.faults.traffic import Load


def test_the_fault_is_found_within_two_sweeps() -> None:
    """A batch a second, and a verdict within twenty seconds of the first failure."""
    measured = measure(Load(reporters=3, brokers=4, seconds=40))

    assert 40 == len(measured.each_s)
    assert measured.found_after is not None
    assert 0 <= measured.found_after <= 20
    assert 0 < measured.state_bytes < 20_000
