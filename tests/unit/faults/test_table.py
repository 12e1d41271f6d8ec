"""The laws of the fault tables, beyond what the golden vectors happen to hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.faults import (
    DETECT_TIMEOUT_MS,
    ROCKETMQ_4,
    ROCKETMQ_5,
    FaultItem,
    FaultRules,
    FaultTable,
    Rotation,
    compare,
)
from trimtab.faults.java import map_order

NOW = 1_700_000_000_000
LONG_MAX = 2**63 - 1

TWICE_GROWN = (
    "2 3 0 1 24 25 22 23 20 21 28 29 26 27 13 14 11 12 10 19 17 18 15 16 46 47 44 45 42 43 40 41 "
    "35 36 8 33 9 34 6 31 7 32 4 5 30 39 37 38"
)

both = pytest.mark.parametrize("rules", [ROCKETMQ_4, ROCKETMQ_5], ids=lambda it: it.generation)
calls = st.lists(st.tuples(st.integers(0, 5_000), st.integers(-1, 40_000), st.booleans()))
entries = st.builds(
    FaultItem,
    broker=st.just("b"),
    current_latency=st.integers(0, 3),
    start_timestamp=st.integers(NOW - 2, NOW + 2),
)


@both
def test_nobody_complained_of_a_stranger(rules: FaultRules) -> None:
    """An unknown broker is available and reachable; a table that is off learns nothing."""
    table = FaultTable(rules, enabled=False)
    table.update("a", 60_000, NOW, isolation=True, reachable=False)

    assert [] == list(table)
    assert table.is_available("a", NOW)
    assert table.is_reachable("a")
    assert None is table.pick_one_at_least(NOW, Rotation())


@both
def test_an_isolation_ends_on_the_millisecond(rules: FaultRules) -> None:
    """Available from `start_timestamp` on, not a moment earlier; a failure counts by its own."""
    table = FaultTable(rules)
    table.update("a", 3, NOW, isolation=True)
    out = rules.duration(rules.isolation_latency)

    assert not table.is_available("a", NOW + out - 1)
    assert table.is_available("a", NOW + out)
    assert [3] == [item.current_latency for item in table]


@given(calls)
def test_in_5x_only_time_ends_an_isolation(made: list[tuple[int, int, bool]]) -> None:
    """Whatever is reported, the broker never comes back earlier than was said before."""
    table, now, until = FaultTable(ROCKETMQ_5), NOW, 0
    for step, latency, isolation in made:
        now += step
        table.update("a", latency, now, isolation=isolation)
        duration = ROCKETMQ_5.duration(latency, isolation=isolation)
        until = max(until, now + duration) if duration else until

        assert [until] == [item.start_timestamp for item in table]


@given(calls.filter(bool))
def test_in_4x_the_last_call_alone_counts(made: list[tuple[int, int, bool]]) -> None:
    """What went before is forgotten: a fast success clears."""
    table, now = FaultTable(ROCKETMQ_4), NOW
    for step, latency, isolation in made:
        now += step
        table.update("a", latency, now, isolation=isolation)
    _, latency, isolation = made[-1]

    (item,) = table
    assert now + ROCKETMQ_4.duration(latency, isolation=isolation) == item.start_timestamp


@given(entries, entries, entries)
def test_the_order_is_one(a: FaultItem, b: FaultItem, c: FaultItem) -> None:
    """Antisymmetric and transitive, so that a sort means something."""
    for rules in (ROCKETMQ_4, ROCKETMQ_5):
        ab, bc, ac = (compare(x, y, NOW, rules.generation) for x, y in ((a, b), (b, c), (a, c)))
        assert ab == -compare(b, a, NOW, rules.generation)
        assert ac <= 0 or ab > 0 or bc > 0


def test_times_overflow_as_in_java() -> None:
    """`now + duration` beyond a long is long ago: 4.x stores it, 5.x takes it for no isolation."""
    forever = {"latency_max": (0,), "not_available_duration": (LONG_MAX,)}
    item = FaultItem(broker="a", start_timestamp=7)
    told = {
        rules.generation: item.updated(
            1, NOW, rules.with_ladder(**forever), isolation=False, reachable=True
        ).start_timestamp
        for rules in (ROCKETMQ_4, ROCKETMQ_5)
    }

    assert {"rocketmq-4": NOW + LONG_MAX - 2**64, "rocketmq-5": 7} == told
    ages_ago = FaultItem(broker="a", start_timestamp=-LONG_MAX)
    assert not ages_ago.is_available(NOW, "rocketmq-4")  # the difference overflows
    assert ages_ago.is_available(NOW, "rocketmq-5")


def test_rungs_may_be_set() -> None:
    """The last rung reached counts, whatever their order; each needs its duration."""
    rules = ROCKETMQ_5.with_ladder((100, 50), (1, 2, 3))

    assert (0, 2, 2) == (rules.duration(49), rules.duration(50), rules.duration(100))
    assert 0 == ROCKETMQ_5.with_ladder((), ()).duration(60_000)
    with pytest.raises(ValueError, match="each rung"):
        ROCKETMQ_5.with_ladder((100, 200), (1,))


def test_a_probe_loses_no_report() -> None:
    """A probe takes its time: what was reported meanwhile stays, and so does who was removed."""
    table = FaultTable(ROCKETMQ_5)
    for broker in ("a", "b"):
        table.update(broker, 1, NOW, isolation=True, reachable=False)

    def probe(address: str, timeout: int) -> bool:
        assert DETECT_TIMEOUT_MS == timeout
        if address == "at a":
            table.update("a", 15_000, NOW + 1, reachable=False)
        else:
            table.remove("b")
        return True

    table.detect(NOW, "at {}".format, probe)

    (item,) = table
    assert ("a", 15_000, NOW + 30_001, True) == (
        item.broker,
        item.current_latency,
        item.start_timestamp,
        item.reachable,
    )


def test_a_probe_bears_a_broker_that_comes_meanwhile() -> None:
    """Sends are reported by other threads."""
    table = FaultTable()

    class Slow(str):
        __slots__ = ()

        def encode(self, *how: str) -> bytes:
            """Hash it, while another one comes."""
            table.update("new", 600, 0)
            return super().encode(*how)

    for name in ("a", "b"):
        table.update(Slow(name), 600, 0)
    table.detect(10_000, lambda _: "a:1", lambda *_: True)

    assert {"a", "b", "new"} == {it.broker for it in table}


def test_the_counter_overflows_as_in_java() -> None:
    """It goes on from the smallest int, and is read without its sign."""
    counter = Rotation(2**31 - 2)

    assert [2**31 - 1, 0, 1] == [counter.next() for _ in range(3)]
    assert -(2**31) + 1 == counter.value
    assert 0 == Rotation().next()


def test_brokers_are_probed_in_java_s_order() -> None:
    """As `ConcurrentHashMap` of JDK 17 walked these names."""
    names = ["broker-a", "broker-b", "broker-10", "Zürich", "经纪人", "\U0001f600", "", "b2", "A"]
    walked = ["", "A", "b2", "经纪人", "broker-10", "Zürich", "broker-b", "\U0001f600", "broker-a"]

    assert walked == list(map_order(names))


@pytest.mark.parametrize(
    ("count", "walked"),
    [
        (23, "2 3 0 1 13 14 8 11 22 9 12 6 20 7 10 21 4 5 19 17 18 15 16"),
        (24, "2 3 0 1 22 23 20 21 13 14 11 8 12 9 6 10 7 4 5 19 17 18 15 16"),
        (48, TWICE_GROWN),
    ],
)
def test_a_map_that_has_grown_walks_as_java_s(count: int, walked: str) -> None:
    """Its buckets doubled at 24 names and at 48, and some turned round on the way."""
    names = [f"broker-{number}" for number in range(count)]

    assert walked == " ".join(name.removeprefix("broker-") for name in map_order(names))
