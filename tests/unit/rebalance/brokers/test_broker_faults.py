"""The catalogue of broker faults, E1 to E10: each one, and what must hold."""

from dataclasses import replace

import pytest

from rebalance.brokers.decisions import ReportRefused, VerdictIssued
from rebalance.brokers.events import Sight
from rebalance.brokers.policy import Mode, VerdictPolicy
from rebalance.ids import BrokerName
from tests.builders.cluster_story import EPOCH, FAILS, ClusterStory, sights


@pytest.mark.parametrize("latency", [400.0, 5_000.0, FAILS])
def test_e1_all_brokers_slow_at_once(latency: float) -> None:
    """None is ejected; readers are told of a panic, and of its end."""
    story = ClusterStory()
    story.sweep(times=10)
    story.sweep(dict.fromkeys("abcde", latency), times=5)

    assert ("", True) == (story.out, story.panic)
    assert all(told.available for told in story.cluster.told.values())
    story.sweep(times=10)
    assert ("", False) == (story.out, story.panic)


@pytest.mark.parametrize("latency", [400.0, 5_000.0, FAILS])
@pytest.mark.parametrize("known", [0, 10])
def test_e2_one_broker_slow_for_all_reporters(latency: float, known: int) -> None:
    """It is out within two sweeps, and back within two when it is well; its past may be known."""
    story = ClusterStory()
    story.sweep(times=known)
    story.sweep({"c": latency}, times=2)

    assert "c" == story.out
    verdict = story.verdict("c")
    assert ("failures" if latency == FAILS else "latency") == verdict.detector
    assert [False] == [it.available for it in turns(story)]
    assert verdict.until_ms is not None
    assert EPOCH + story.now < verdict.until_ms <= EPOCH + story.now + 33_000
    story.sweep({"c": latency}, times=20)
    assert "c" == story.out
    story.sweep(times=2)
    assert "" == story.out


def test_e2_a_broker_that_stays_bad_is_never_back_between_two_sweeps() -> None:
    """Readers let a verdict lapse by the clock: it is prolonged before, not at the next count."""
    story = ClusterStory(reporters=3)
    story.sweep({"c": FAILS}, times=2)
    while story.now < 900_000:
        for reporter in story.reporters:
            story.report(reporter, *sights(dict.fromkeys("abde", 5.0) | {"c": FAILS}, count=1))
        story.pass_time(1_000)

        assert "c" == story.out
    story.sweep(times=2)
    assert "" == story.out


def turns(story: ClusterStory) -> list[VerdictIssued]:
    """The verdicts that said something new."""
    return [it for it in story.decisions if isinstance(it, VerdictIssued) and it.turned]


def test_e2_the_last_broker_of_a_topic_is_never_out() -> None:
    """It is spared, and goes as soon as the topic has another one; it returns when it has none."""
    story = ClusterStory()
    story.host("orders", "c")
    story.sweep({"c": FAILS}, times=3)
    assert "" == story.out

    story.host("orders", "cd")
    story.sweep({"c": FAILS}, times=1)
    assert "c" == story.out
    story.host("orders", "c")
    assert "" == story.out
    assert story.verdict("c").reason.startswith("spared, too few would be left: ")


@pytest.mark.parametrize("lie", [0.1, 4_000.0, FAILS])
def test_e3_one_lying_reporter(lie: float) -> None:
    """Whatever it says, of one broker or all: nothing is decided otherwise than without it."""
    for lied in ("c", "abcde"):
        for slow in (None, 800.0):
            told, honest = ClusterStory(), ClusterStory()
            fault = {} if slow is None else {"c": slow}
            told.sweep(fault, times=6, lies={"r0": dict.fromkeys(lied, lie)})
            honest.sweep(fault, times=6)

            assert acted_on(honest) == acted_on(told)


def acted_on(story: ClusterStory) -> list[tuple[object, ...]]:
    """What readers act on."""
    return [
        (it.broker, it.available, it.until_ms, it.detector, it.panic)
        for it in story.decisions
        if isinstance(it, VerdictIssued)
    ]


def test_e4_a_colluding_minority() -> None:
    """Three of seven agree on a lie; with a quorum of four they are nobody."""
    story = ClusterStory(reporters=7, policy=VerdictPolicy(quorum=4))
    plot = {reporter: {"c": FAILS} for reporter in story.reporters[:3]}
    story.sweep(times=6, lies=plot)
    assert "" == story.out

    cover = {reporter: {"c": 1.0} for reporter in story.reporters[:3]}
    story.sweep({"c": FAILS}, times=2, lies=cover)
    assert "c" == story.out
    story.sweep({"c": FAILS}, times=10, lies=cover)
    assert "c" == story.out  # testers are enough to outvote them


def test_e5_one_reporter_s_network_is_bad() -> None:
    """A reporter that finds everybody slow is the outlier: its votes are void, even if decisive."""
    story = ClusterStory(reporters=3)
    sick = {"r0": dict.fromkeys("abcde", 2_000.0) | {"b": FAILS}}
    story.sweep(times=3, lies=sick)
    assert "" == story.out

    everywhere = {"r0": dict.fromkeys("abcde", FAILS)}
    story.sweep(times=3, lies=everywhere | {"r1": {"c": FAILS}})
    assert ("", False) == (story.out, story.panic)


@pytest.mark.parametrize("reporters", [1, 2])
def test_e6_too_few_reporters_or_samples(reporters: int) -> None:
    """One reporter is no quorum, a handful of calls no measure: the broker stays available."""
    story = ClusterStory(reporters=reporters)
    for _ in range(6):
        for reporter in story.reporters:
            story.report(reporter, *sights({"a": 5.0, "b": 5.0, "c": 900.0}, count=4))
        story.pass_time(10_000)
    assert "" == story.out

    story.sweep({"c": FAILS}, times=3)
    assert ("" if reporters == 1 else "c") == story.out


@pytest.mark.slow
def test_e7_a_broker_that_oscillates() -> None:
    """At most forty changes an hour, whatever the rhythm; between two thresholds none at all."""
    for bad, good in ((1, 1), (2, 2), (3, 1), (6, 12), (30, 6)):
        story = ClusterStory()
        while story.now < 3_600_000:
            story.sweep({"c": 900.0}, times=bad)
            story.sweep(times=good)
        assert 2 <= len(turns(story)) <= 40, (bad, good)

    between = ClusterStory()
    between.sweep({"c": 299.0, **dict.fromkeys("abde", 100.0)}, times=60)
    assert [] == turns(between)


def test_e8_reports_stop_altogether() -> None:
    """The last verdict lapses by itself for readers, and in the books when the log goes on."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    until = story.verdict("c").until_ms
    assert until is not None
    story.now = until - EPOCH
    assert "" == story.out  # not a word was said

    story.pass_time(1)
    assert story.verdict("c").available
    assert None is story.cluster.brokers[BrokerName("c")].out


@pytest.mark.parametrize("latency", [float("nan"), float("inf"), -3.0, 0.0, 1e12])
def test_e9_impossible_latencies(latency: float) -> None:
    """They are refused and counted, sight by sight; the others of the report are heard."""
    story = ClusterStory(reporters=3)
    story.sweep(times=2)
    for reporter in story.reporters:
        story.report(reporter, Sight(BrokerName("c"), 20, 0, latency), *sights({"a": 5.0}))
    story.pass_time(10_000)
    refused = [it for it in story.decisions if isinstance(it, ReportRefused)]

    assert ["1 figures are impossible"] * 3 == [it.detail for it in refused]
    assert "" == story.out
    assert (3, 0) == (story.verdict("a").reports, story.cluster.brokers[BrokerName("c")].reports)


def test_e10_a_broker_replaced_under_the_same_name() -> None:
    """Another address is another broker: it is available, and starts without a past."""
    story = ClusterStory()
    story.sweep(times=8)
    story.sweep({"c": FAILS}, times=2)
    assert "c" == story.out

    def moved(name: str) -> str:
        return "elsewhere" if name == "c" else name

    story.report("r0", *sights({"c": 5.0}, address=moved))
    story.pass_time(10_000)
    assert "c" == story.out  # one voice is none
    for reporter in story.reporters:
        story.report(reporter, *sights(dict.fromkeys("abcde", 5.0), address=moved))
    story.pass_time(10_000)

    assert "" == story.out
    new = story.cluster.brokers[BrokerName("c")]
    assert ("elsewhere", 0, ()) == (new.address, new.ejections, new.past[:-1])


def test_e10_a_broker_that_the_route_watcher_finds_elsewhere() -> None:
    """Its word is a fact: the broker is available at once. The first address is no change yet."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    assert "c" == story.out

    story.host("orders", "cd", address=lambda name: f"{name}:1")
    assert "c" == story.out
    story.host("orders", "cd", address=lambda name: f"{name}:1")
    assert "c" == story.out
    story.host("orders", "cd", address=lambda name: f"{name}:{ord(name) - ord('a')}")
    assert "" == story.out
    new = story.cluster.brokers[BrokerName("c")]
    assert ("c:2", "", 0, ()) == (new.place, new.address, new.ejections, new.past)
    story.sweep()
    assert "" == story.out  # what it failed at before is forgotten with it


def test_e10_what_reporters_have_said_of_a_replacement_is_no_news_of_the_watchers() -> None:
    """It is the same new broker; what it has done since it was met is still held against it."""
    story = ClusterStory()
    story.host("orders", "cd", address=lambda name: f"{name}:1")
    story.sweep({"c": FAILS}, times=2)  # everybody finds it at another address by now
    assert "c" == story.out

    story.host("orders", "cd", address=str)
    assert "c" == story.out
    assert "c" == story.cluster.brokers[BrokerName("c")].place


@pytest.mark.parametrize("mode", ["off", "shadow", "enforce"])
def test_each_detector_can_be_tried_out(mode: Mode) -> None:
    """Off says nothing, shadow says what it would do, and only enforce does it."""
    off = VerdictPolicy(failures="off", errors="off", latency="off", drift="off")
    policies = {
        "failures": (FAILS, replace(off, failures=mode)),
        "latency": (900.0, replace(off, latency=mode)),
    }
    for detector, (fault, policy) in policies.items():
        story = ClusterStory(policy=policy)
        story.sweep({"c": fault}, times=3)

        assert ("c" if mode == "enforce" else "") == story.out
        assert (detector if mode == "shadow" else None) == story.verdict("c").shadow


def test_drift_and_error_rate_are_found() -> None:
    """The two that are on trial at first."""
    story = ClusterStory(policy=VerdictPolicy(drift="enforce", latency="off"))
    story.sweep(dict.fromkeys("abde", 500.0), times=8)
    story.sweep({"c": 200.0, **dict.fromkeys("abde", 500.0)})
    assert ("c", "drift") == (story.out, story.verdict("c").detector)
    assert "p50 200 ms, 5 ms before, say 5 of 5 reporters" == story.verdict("c").reason

    rate = ClusterStory(policy=VerdictPolicy(errors="enforce"))
    for reporter in rate.reporters:
        rate.report(
            reporter, *sights(dict.fromkeys("abde", 5.0), 100), Sight(BrokerName("c"), 100, 90, 5.0)
        )
    rate.pass_time(10_000)
    assert ("c", "450 of 500 failed, say 5 of 5 reporters") == (rate.out, rate.verdict("c").reason)
