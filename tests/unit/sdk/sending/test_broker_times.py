"""A broker's times, summed up."""

import pytest

from trimtab.sending.broker_times import SAMPLES_MAX, BrokerTimes


def test_a_window_is_summed_up() -> None:
    """In milliseconds; failures count with the time they took."""
    times = BrokerTimes("1")
    times.address = "a:1"
    for latency in range(1, 100):
        times.note(latency / 1_000)
    times.note_failure(2.0)
    times.read()
    summed_up = times.close_window()

    assert summed_up is not None
    assert (100, 1, "a:1") == (summed_up.count, summed_up.errors, summed_up.address)
    assert (50, 99, 2_000) == (summed_up.p50_ms, summed_up.p99_ms, summed_up.max_ms)
    assert times.close_window() is None


def test_a_window_does_not_grow_with_the_traffic() -> None:
    """A sample tells the percentiles; counts and the maximum are exact."""
    times = BrokerTimes("1")
    for second in range(20):
        for latency in range(1_000):
            times.note((latency + second) / 1_000)
        times.read()
    kept = len(times._window._samples)  # noqa: SLF001 - that it is bounded is the point
    summed_up = times.close_window()

    assert SAMPLES_MAX <= kept <= 2 * SAMPLES_MAX
    assert summed_up is not None
    assert (20_000, 1_018) == (summed_up.count, summed_up.max_ms)
    assert pytest.approx(summed_up.p50_ms, abs=20) == 509
