"""Who tests a broker that is out of use, and what comes of it."""

from dataclasses import replace

import pytest

from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import BrokerName, Millis
from tests.builders.cluster_story import FAILS, FINE, ClusterStory, sights


def test_few_testers_see_a_recovery() -> None:
    """Twice the quorum less one, always the same, and a quorum of them frees the broker."""
    story = ClusterStory(reporters=9)
    story.sweep({"c": FAILS})
    testers = story.verdict("c").testers
    assert 3 == len(testers)
    assert tuple(sorted(testers)) == testers

    well = {str(who): {"c": 5.0} for who in testers}
    story.sweep({"c": FAILS}, lies={testers[0]: well[testers[0]]})
    assert ("c", testers) == (story.out, story.verdict("c").testers)
    story.sweep({"c": FAILS}, lies=well)
    assert "" == story.out


def test_whoever_sends_to_a_broker_tests_it() -> None:
    """Others, however many, have no topic there and would never try it."""
    story, users = ClusterStory("abcd", reporters=40), ("u0", "u1", "u2")
    story.sweep()

    def go_by(sweeps: int, latency: float) -> None:
        for _ in range(sweeps):
            told = story.cluster.told.get(BrokerName("x"))
            for user in users:
                sends = told is None or told.available or user in told.testers
                seen = {"a": FINE, "b": FINE} | ({"x": latency} if sends else {})
                story.report(user, *sights(seen))
            story.sweep()

    go_by(30, FAILS)
    assert ("x", users) == (story.out, story.verdict("x").testers)
    assert [False] == [it.available for it in story.issued("x") if it.turned]
    go_by(2, FINE)
    assert "" == story.out


@pytest.mark.parametrize("tick_ms", [700, 1_000, 1_300, 3_300])
@pytest.mark.parametrize(("ejection_ms", "sweep_ms"), [(15_000, 10_000), (30_000, 20_000)])
@pytest.mark.parametrize("before", [0, 1, 2, 20], ids="before={}".format)
def test_a_broker_that_stays_bad_is_tested_in_time_to_stay_out(
    before: int, ejection_ms: int, sweep_ms: int, tick_ms: int
) -> None:
    """However often it was out before, and though votes are counted a little late each time."""
    policy = VerdictPolicy(ejection_ms=Millis(ejection_ms), sweep_ms=Millis(sweep_ms))
    broker = "v"  # of whose name no jitter comes, the second time
    story = ClusterStory(broker + "bcde", policy=policy)
    story.sweep()
    known = story.cluster.brokers
    record = replace(known[BrokerName(broker)], ejections=before)
    story.cluster = replace(story.cluster, brokers={**known, BrokerName(broker): record})
    story.sweep({broker: FAILS})
    assert broker == story.out
    while story.now < 700_000:
        testers = story.verdict(broker).testers
        for reporter in story.reporters:
            seen = {broker: FAILS} if reporter in testers else {}
            story.report(reporter, *sights(dict.fromkeys("bcde", FINE) | seen, count=4))
        story.pass_time(tick_ms)

        assert broker == story.out
