"""Who tests a broker that is out of use, and what comes of it."""

from rebalance.ids import BrokerName
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
