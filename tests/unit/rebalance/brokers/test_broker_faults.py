"""The catalogue of broker faults, E1 to E10: each one, and what must hold."""

from dataclasses import replace

import pytest

from rebalance.brokers.decisions import ReportRefused, VerdictIssued
from rebalance.brokers.events import Sight
from rebalance.brokers.policy import Mode, VerdictPolicy
from rebalance.ids import BrokerName
from tests.builders.town import EPOCH, FAILS, Town, sights


@pytest.mark.parametrize("latency", [400.0, 5_000.0, FAILS])
def test_e1_all_brokers_slow_at_once(latency: float) -> None:
    """None is ejected; readers are told of a panic, and of its end."""
    town = Town()
    town.sweep(times=10)
    town.sweep(dict.fromkeys("abcde", latency), times=5)

    assert ("", True) == (town.out, town.panic)
    assert all(told.available for told in town.cluster.told.values())
    town.sweep(times=10)
    assert ("", False) == (town.out, town.panic)


@pytest.mark.parametrize("latency", [400.0, 5_000.0, FAILS])
@pytest.mark.parametrize("known", [0, 10])
def test_e2_one_broker_slow_for_all_reporters(latency: float, known: int) -> None:
    """It is out within two sweeps, and back within two when it is well; its past may be known."""
    town = Town()
    town.sweep(times=known)
    town.sweep({"c": latency}, times=2)

    assert "c" == town.out
    verdict = town.verdict("c")
    assert ("failures" if latency == FAILS else "latency") == verdict.detector
    assert [False] == [it.available for it in turns(town)]
    assert verdict.until_ms is not None
    assert EPOCH + town.now < verdict.until_ms <= EPOCH + town.now + 33_000
    town.sweep({"c": latency}, times=20)
    assert "c" == town.out
    town.sweep(times=2)
    assert "" == town.out


def test_e2_a_broker_that_stays_bad_is_never_back_between_two_sweeps() -> None:
    """Readers let a verdict lapse by the clock: it is prolonged before, not at the next count."""
    town = Town(reporters=3)
    town.sweep({"c": FAILS}, times=2)
    while town.now < 900_000:
        for reporter in town.reporters:
            town.report(reporter, *sights(dict.fromkeys("abde", 5.0) | {"c": FAILS}, count=1))
        town.pass_time(1_000)

        assert "c" == town.out
    town.sweep(times=2)
    assert "" == town.out


def turns(town: Town) -> list[VerdictIssued]:
    """The verdicts that said something new."""
    return [it for it in town.decisions if isinstance(it, VerdictIssued) and it.turned]


def test_e2_the_last_broker_of_a_topic_is_never_out() -> None:
    """It is spared, and goes as soon as the topic has another one; it returns when it has none."""
    town = Town()
    town.host("orders", "c")
    town.sweep({"c": FAILS}, times=3)
    assert "" == town.out

    town.host("orders", "cd")
    town.sweep({"c": FAILS}, times=1)
    assert "c" == town.out
    town.host("orders", "c")
    assert "" == town.out
    assert town.verdict("c").reason.startswith("spared, too few would be left: ")


@pytest.mark.parametrize("lie", [0.1, 4_000.0, FAILS])
def test_e3_one_lying_reporter(lie: float) -> None:
    """Whatever it says, of one broker or all: nothing is decided otherwise than without it."""
    for lied in ("c", "abcde"):
        for slow in (None, 800.0):
            told, honest = Town(), Town()
            fault = {} if slow is None else {"c": slow}
            told.sweep(fault, times=6, lies={"r0": dict.fromkeys(lied, lie)})
            honest.sweep(fault, times=6)

            assert [broker(it) for it in honest.decisions] == [broker(it) for it in told.decisions]


def broker(decision: object) -> tuple[object, ...]:
    """What readers act on."""
    assert isinstance(decision, VerdictIssued)
    return decision.broker, decision.available, decision.until_ms, decision.detector, decision.panic


def test_e4_a_colluding_minority() -> None:
    """Three of seven agree on a lie; with a quorum of four they are nobody."""
    town = Town(reporters=7, policy=VerdictPolicy(quorum=4))
    plot = {reporter: {"c": FAILS} for reporter in town.reporters[:3]}
    town.sweep(times=6, lies=plot)
    assert "" == town.out

    cover = {reporter: {"c": 1.0} for reporter in town.reporters[:3]}
    town.sweep({"c": FAILS}, times=2, lies=cover)
    assert "c" == town.out
    town.sweep({"c": FAILS}, times=10, lies=cover)
    assert "c" == town.out  # testers are enough to outvote them


def test_e5_one_reporter_s_network_is_bad() -> None:
    """A reporter that finds everybody slow is the outlier: its votes are void, even if decisive."""
    town = Town(reporters=3)
    sick = {"r0": dict.fromkeys("abcde", 2_000.0) | {"b": FAILS}}
    town.sweep(times=3, lies=sick)
    assert "" == town.out

    everywhere = {"r0": dict.fromkeys("abcde", FAILS)}
    town.sweep(times=3, lies=everywhere | {"r1": {"c": FAILS}})
    assert ("", False) == (town.out, town.panic)


@pytest.mark.parametrize("reporters", [1, 2])
def test_e6_too_few_reporters_or_samples(reporters: int) -> None:
    """One reporter is no quorum, a handful of calls no measure: the broker stays available."""
    town = Town(reporters=reporters)
    for _ in range(6):
        for reporter in town.reporters:
            town.report(reporter, *sights({"a": 5.0, "b": 5.0, "c": 900.0}, count=4))
        town.pass_time(10_000)
    assert "" == town.out

    town.sweep({"c": FAILS}, times=3)
    assert ("" if reporters == 1 else "c") == town.out


def test_e7_a_broker_that_oscillates() -> None:
    """At most forty changes an hour, whatever the rhythm; between two thresholds none at all."""
    for bad, good in ((1, 1), (2, 2), (3, 1), (6, 12), (30, 6)):
        town = Town()
        while town.now < 3_600_000:
            town.sweep({"c": 900.0}, times=bad)
            town.sweep(times=good)
        assert 2 <= len(turns(town)) <= 40, (bad, good)

    between = Town()
    between.sweep({"c": 299.0, **dict.fromkeys("abde", 100.0)}, times=60)
    assert [] == turns(between)


def test_e8_reports_stop_altogether() -> None:
    """The last verdict lapses by itself for readers, and in the books when the log goes on."""
    town = Town()
    town.sweep({"c": FAILS}, times=2)
    until = town.verdict("c").until_ms
    assert until is not None
    town.now = until - EPOCH
    assert "" == town.out  # not a word was said

    town.pass_time(1)
    assert town.verdict("c").available
    assert None is town.cluster.brokers[BrokerName("c")].out


@pytest.mark.parametrize("latency", [float("nan"), float("inf"), -3.0, 0.0, 1e12])
def test_e9_impossible_latencies(latency: float) -> None:
    """They are refused and counted, sight by sight; the others of the report are heard."""
    town = Town(reporters=3)
    town.sweep(times=2)
    for reporter in town.reporters:
        town.report(reporter, Sight(BrokerName("c"), 20, 0, latency), *sights({"a": 5.0}))
    town.pass_time(10_000)
    refused = [it for it in town.decisions if isinstance(it, ReportRefused)]

    assert ["1 figures are impossible"] * 3 == [it.detail for it in refused]
    assert "" == town.out
    assert (3, 0) == (town.verdict("a").reports, town.cluster.brokers[BrokerName("c")].reports)


def test_e10_a_broker_replaced_under_the_same_name() -> None:
    """Another address is another broker: it is available, and starts without a past."""
    town = Town()
    town.sweep(times=8)
    town.sweep({"c": FAILS}, times=2)
    assert "c" == town.out

    def moved(name: str) -> str:
        return "elsewhere" if name == "c" else name

    town.report("r0", *sights({"c": 5.0}, address=moved))
    town.pass_time(10_000)
    assert "c" == town.out  # one voice is none
    for reporter in town.reporters:
        town.report(reporter, *sights(dict.fromkeys("abcde", 5.0), address=moved))
    town.pass_time(10_000)

    assert "" == town.out
    new = town.cluster.brokers[BrokerName("c")]
    assert ("elsewhere", 0, ()) == (new.address, new.ejections, new.past[:-1])


def test_e10_a_broker_that_the_route_watcher_finds_elsewhere() -> None:
    """Its word is a fact: the broker is available at once. The first address is no change yet."""
    town = Town()
    town.sweep({"c": FAILS}, times=2)
    assert "c" == town.out

    town.host("orders", "cd", address=lambda name: f"{name}:1")
    assert "c" == town.out
    town.host("orders", "cd", address=lambda name: f"{name}:1")
    assert "c" == town.out
    town.host("orders", "cd", address=lambda name: f"{name}:{ord(name) - ord('a')}")
    assert "" == town.out
    new = town.cluster.brokers[BrokerName("c")]
    assert ("c:2", "", 0, ()) == (new.place, new.address, new.ejections, new.past)
    town.sweep()
    assert "" == town.out  # what it failed at before is forgotten with it


def test_e10_what_reporters_have_said_of_a_replacement_is_no_news_of_the_watchers() -> None:
    """It is the same new broker; what it has done since it was met is still held against it."""
    town = Town()
    town.host("orders", "cd", address=lambda name: f"{name}:1")
    town.sweep({"c": FAILS}, times=2)  # everybody finds it at another address by now
    assert "c" == town.out

    town.host("orders", "cd", address=str)
    assert "c" == town.out
    assert "c" == town.cluster.brokers[BrokerName("c")].place


@pytest.mark.parametrize("mode", ["off", "shadow", "enforce"])
def test_each_detector_can_be_tried_out(mode: Mode) -> None:
    """Off says nothing, shadow says what it would do, and only enforce does it."""
    off = VerdictPolicy(failures="off", errors="off", latency="off", drift="off")
    policies = {
        "failures": (FAILS, replace(off, failures=mode)),
        "latency": (900.0, replace(off, latency=mode)),
    }
    for detector, (fault, policy) in policies.items():
        town = Town(policy=policy)
        town.sweep({"c": fault}, times=3)

        assert ("c" if mode == "enforce" else "") == town.out
        assert (detector if mode == "shadow" else None) == town.verdict("c").shadow


def test_drift_and_error_rate_are_found() -> None:
    """The two that are on trial at first."""
    town = Town(policy=VerdictPolicy(drift="enforce", latency="off"))
    town.sweep(dict.fromkeys("abde", 500.0), times=8)
    town.sweep({"c": 200.0, **dict.fromkeys("abde", 500.0)})
    assert ("c", "drift") == (town.out, town.verdict("c").detector)
    assert "p50 200 ms, 5 ms before, say 5 of 5 reporters" == town.verdict("c").reason

    rate = Town(policy=VerdictPolicy(errors="enforce"))
    for reporter in rate.reporters:
        rate.report(
            reporter, *sights(dict.fromkeys("abde", 5.0), 100), Sight(BrokerName("c"), 100, 90, 5.0)
        )
    rate.pass_time(10_000)
    assert ("c", "450 of 500 failed, say 5 of 5 reporters") == (rate.out, rate.verdict("c").reason)
