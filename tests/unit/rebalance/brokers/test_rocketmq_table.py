"""RocketMQ's tables in the jury's place."""

import pytest

from rebalance.brokers.events import Sight
from rebalance.brokers.policy import Judges, VerdictPolicy
from rebalance.ids import BrokerName
from tests.builders.cluster_story import EPOCH, FAILS, FINE, ClusterStory, sights


@pytest.mark.parametrize(("mode", "term"), [("rocketmq-4", 600_000), ("rocketmq-5", 10_000)])
def test_rocketmq_s_tables_may_judge_instead(mode: Judges, term: int) -> None:
    """One report is enough, at once and for as long as the table says; the limits hold."""
    story = ClusterStory(policy=VerdictPolicy(mode=mode))
    story.sweep()
    story.report("r0", *sights({"c": FAILS}))
    verdict = story.verdict("c")
    assert ("c", mode, EPOCH + story.now + term) == (story.out, verdict.detector, verdict.until_ms)

    story.now += 1
    story.report("r0", *sights({"a": FAILS}))
    assert "c" == story.out  # at most a third
    story.report("r1", *sights({"c": FINE}))
    assert ("" if mode == "rocketmq-4" else "c") == story.out.replace("a", "")
    story.pass_time(term + 1)
    assert "" == story.out


def test_rocketmq_s_table_is_forgotten_with_its_broker() -> None:
    """And an ejection that grows by next to nothing is not said again."""
    story = ClusterStory(policy=VerdictPolicy(mode="rocketmq-5"))
    story.sweep()
    story.report("r0", *sights({"c": FAILS}))
    said = len(story.decisions)
    story.now += 10
    story.report("r1", *sights({"c": FAILS}))
    assert said == len(story.decisions)

    story.command("c", available=True)
    assert ("", {}) == (
        story.out,
        {it: item for it, item in story.cluster.items.items() if it == "c"},
    )
    story.report("r0", *sights({"c": FAILS}))
    story.forget("c")
    assert "c" not in story.cluster.items


MODES = pytest.mark.parametrize("mode", ["rocketmq-4", "rocketmq-5"])


@MODES
@pytest.mark.parametrize("whose", ["report", "hosts"])
def test_who_is_complained_of_first_is_out_as_soon_as_there_are_others(
    mode: Judges, whose: str
) -> None:
    """It is spared while it is the only one that is known, and no longer."""
    story = ClusterStory(policy=VerdictPolicy(mode=mode))
    story.report("r0", *sights({"c": FAILS}))
    assert "" == story.out

    story.now += 50
    if whose == "report":
        story.report("r1", *sights({"a": FINE}))
    else:
        story.host("orders", "ac")
    assert "c" == story.out


@MODES
def test_an_eject_of_the_first_holds_as_soon_as_there_are_others(mode: Judges) -> None:
    """An operator's command waits for no sweep either."""
    story = ClusterStory(policy=VerdictPolicy(mode=mode))
    story.command("c", available=False)
    assert "" == story.out

    story.report("r1", *sights({"a": FINE}))
    assert "c" == story.out


@MODES
def test_whoever_waits_for_room_is_out_when_another_s_time_is_over(mode: Judges) -> None:
    """At the next tick, not at the end of the sweep."""
    story = ClusterStory(policy=VerdictPolicy(mode=mode))
    story.sweep()
    story.report("r0", *sights({"a": 600.0}))
    story.now += 900
    story.report("r0", *sights({"c": FAILS}))
    assert "a" == story.out

    ends = story.verdict("a").until_ms
    assert ends is not None
    story.pass_time(ends - EPOCH - story.now)
    assert "c" == story.out


REPORTS = {
    "a call that took long": ((20, 0, 5.0, 5_000.0), 180_000, 10_000),
    "a call that failed": ((20, 1, 5.0, 9.0), 600_000, 10_000),
    "most failed, and what came back took long": ((20, 9, 15_000.0, 16_000.0), 600_000, 30_000),
    "who failed may have taken longest": ((20, 11, 5.0, 16_000.0), 600_000, 10_000),
    "all were fine": ((20, 0, 5.0, 99.0), 0, 0),
}


@pytest.mark.parametrize(("seen", "four", "five"), REPORTS.values(), ids=REPORTS.keys())
def test_a_report_counts_as_the_worst_call_that_it_proves(
    seen: tuple[int, int, float, float], four: int, five: int
) -> None:
    """Its slowest one, and one that failed if any did: each of them was entered by a client."""
    count, errors, median, slowest = seen
    for mode, term in (("rocketmq-4", four), ("rocketmq-5", five)):
        story = ClusterStory(policy=VerdictPolicy(mode=mode))  # type: ignore[arg-type]  # a table
        story.sweep()
        story.report("r0", Sight(BrokerName("c"), count, errors, median, slowest_ms=slowest))
        until = story.verdict("c").until_ms

        assert term == (0 if until is None else until - EPOCH - story.now)
