"""When an ejection is over: as readers have it, though the log clock stands without a controller.

The jury counts in log time, and what it has published is the broker's clock. Where the two have run
apart, a broker would be out for the jury alone: in use, and beyond complaint.
"""

from dataclasses import replace

import pytest

from rebalance.brokers.policy import VerdictPolicy
from rebalance.ids import BrokerName
from tests.builders.cluster_story import FAILS, FINE, ClusterStory, sights


def out_after(before: int, by: int = 0) -> ClusterStory:
    """A story in which a broker is out, once more than so often; the stamp is wrong by so much."""
    story, name = ClusterStory(), BrokerName("a")
    story.sweep(times=2)
    often = replace(story.cluster.brokers[name], ejections=before)
    story.cluster = replace(story.cluster, brokers={**story.cluster.brokers, name: often})
    story.away = by
    story.sweep({"a": FAILS})
    assert {"a"} == story.outs().keys()
    story.away = 0
    return story


@pytest.mark.parametrize("before", [0, 1, 3, 9])
def test_an_ejection_ends_when_it_is_over_for_those_who_read_it(before: int) -> None:
    """The controller was away for longer: whoever still is bad is out anew, and not for itself."""
    story = out_after(before)
    story.away = 360_000
    story.sweep({"a": FAILS}, times=3)
    assert "a" == story.out

    story = out_after(before)
    story.away = 360_000
    story.sweep({"b": FAILS}, times=2)
    assert ("b", {"b"}) == (story.out, set(story.outs()))


@pytest.mark.parametrize("before", [0, 1, 3, 9])
def test_an_ejection_that_was_stamped_wrong_is_said_anew(before: int) -> None:
    """By an hour too early: nobody obeys it."""
    story = out_after(before, by=-3_600_000)
    assert "" == story.out
    story.sweep({"a": FAILS}, times=3)

    assert "a" == story.out


def test_an_ejection_is_prolonged_before_it_is_over_for_those_who_read_it() -> None:
    """The controller was away for a part of it: the testers are heard in time all the same."""
    story = out_after(3)
    story.away = 60_000
    for _ in range(20):
        story.sweep({"a": FAILS})
        assert "a" == story.out


def test_rocketmq_s_table_keeps_no_place_for_one_that_is_over_for_those_who_read_it() -> None:
    """Nobody speaks of it any more, and the controller was away until it was over."""
    story = ClusterStory("abc", policy=VerdictPolicy(mode="rocketmq-4"))
    story.sweep()
    story.report("r0", *sights({"a": FAILS}))
    assert "a" == story.out
    story.away = 700_000
    story.sweep({"b": FAILS}, silent="a", times=2)

    assert "b" == story.out


def test_rocketmq_s_table_has_forgotten_what_is_over_for_those_who_read_it() -> None:
    """In 5.x an item only ever grows: one good call after an absence would be a new ejection."""
    story = ClusterStory("abc", policy=VerdictPolicy(mode="rocketmq-5"))
    story.sweep()
    story.report("r0", *sights({"a": 16_000.0}))
    story.pass_time(2_000)
    assert "a" == story.out
    story.away = 60_000
    for _ in range(30):
        story.pass_time(1_000)
        story.report("r1", *sights({"a": FINE}))
        assert "" == story.out
