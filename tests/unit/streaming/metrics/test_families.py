"""The text that Prometheus reads."""

from streaming.metrics.families import MOST_SERIES, Counter, Gauge, Histogram


def test_a_family_is_written_as_prometheus_reads_it() -> None:
    """Help, type, and a line for each series; names may hold anything (C21)."""
    count = Counter("things_total", "Things.", "group", "cause")
    count.add(2, 'a "b"\\\n', "join")
    count.add(0.5, "é", "leave")

    assert [
        "# HELP trimtab_things_total Things.",
        "# TYPE trimtab_things_total counter",
        r'trimtab_things_total{group="a \"b\"\\\n",cause="join"} 2',
        'trimtab_things_total{group="é",cause="leave"} 0.5',
    ] == [*count.text()]


def test_a_histogram_counts_what_is_not_above_each_bound() -> None:
    """Each bucket holds those below it, too, and the last holds all."""
    took = Histogram("took_seconds", "Time.", (0.25, 1.0))
    for seconds in (0.25, 0.5, 7.0):
        took.observe(seconds)
    took.add([1, 0, 0], 0.125)

    assert [
        'trimtab_took_seconds_bucket{le="0.25"} 2',
        'trimtab_took_seconds_bucket{le="1"} 3',
        'trimtab_took_seconds_bucket{le="+Inf"} 4',
        "trimtab_took_seconds_sum 7.875",
        "trimtab_took_seconds_count 4",
    ] == [*took.text()][2:]


def test_a_sum_is_exact_however_much_it_is() -> None:
    """With six digits alone an average would jump once a day's worth had been counted."""
    took = Histogram("took_seconds", "Time.", (1.0,))
    took.add([2_000_000, 0], 1_234_567.25)

    assert "trimtab_took_seconds_sum 1234567.25" in [*took.text()]


def test_who_invents_names_fills_no_memory() -> None:
    """Beyond the limit a counter forgets who counted longest ago, and a gauge leaves out."""
    count, gauge = Counter("things_total", "Things.", "group"), Gauge("size", "Size.", "group")
    for number in range(MOST_SERIES + 7):
        count.add(1, f"g{number}")
        gauge.set(1, f"g{number}")
        count.add(1, "busy")

    assert MOST_SERIES == len(count.values())
    assert MOST_SERIES + 7 == count.value("busy")
    assert (0, 1) == (count.value("g0"), count.value(f"g{MOST_SERIES}"))
    assert 2 * (MOST_SERIES + 7) == count.total()
    assert MOST_SERIES == gauge.total()


def test_names_that_were_used_once_hide_no_group_that_is_new() -> None:
    """In years there are very many of them; a group that comes then has series all the same."""
    rebalances = Counter("rebalances_total", "New targets.", "group", "cause")
    for number in range(1_300):
        for cause in ("join", "leave", "expiry", "route"):
            rebalances.add(1, f"ci-{number}", cause)
    for _ in range(30):
        rebalances.add(1, "billing", "join")

    assert 30 == rebalances.value("billing", "join")
    assert 5_230 == rebalances.total()


def test_a_gauge_forgets_what_is_gone() -> None:
    """A series that outlives what it is about would be a ghost."""
    gauge = Gauge("size", "Size.", "group")
    gauge.set(3, "a")
    gauge.drop("a")
    gauge.drop("b")

    assert ["# HELP trimtab_size Size.", "# TYPE trimtab_size gauge"] == [*gauge.text()]
