"""Which brokers each topic has: all of them, or a few where there is no room for more."""

import pytest

from rebalance.brokers import hosting
from rebalance.brokers.events import Hosted
from rebalance.brokers.hosting import FEW, ROOM
from rebalance.brokers.step import step
from rebalance.ids import BrokerName, TopicName
from streaming.cell.packed import pack_cluster
from tests.builders.cluster_story import FAILS, ClusterStory
from trimtab.protocol import limits

MANY = "".join(chr(0x4E00 + number) for number in range(limits.BROKERS_PER_REPORT))


def test_brokers_that_are_made_up_leave_the_state_bounded() -> None:
    """A thousand of each topic would be a gigabyte in a worker, and seconds of each sweep."""
    story, brokers = ClusterStory(), frozenset(map(BrokerName, MANY))
    said = [
        Hosted(story.stamp(), TopicName(f"t{number}"), brokers, {}, None) for number in range(600)
    ]
    cluster = step(story.cluster, said, story.policy).cluster

    assert {len(MANY), FEW} == {len(it) for it in cluster.topics.values()}
    assert len(pack_cluster(cluster).rest) < 1.5 * ROOM


def test_a_topic_that_there_is_no_room_for_keeps_a_few_brokers_and_one_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may lose one of those that are kept, and never all of them."""
    story = ClusterStory("abcdefghijklmnopqrst")
    story.host("full", "mnop")
    monkeypatch.setattr(hosting, "ROOM", 40)
    story.host("orders", "abcd")
    assert frozenset("abc") == story.cluster.topics[TopicName("orders")]

    story.sweep({"a": FAILS, "b": FAILS, "c": FAILS}, times=3)
    assert 1 == sum(story.verdict(it).available for it in "abc")


def test_room_is_free_again_when_a_topic_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a word, by its lease, or because it has fewer brokers."""
    monkeypatch.setattr(hosting, "ROOM", 40)
    story = ClusterStory()
    story.host("one", "abcd")
    story.host("two", "abcd")
    story.host("one", "")
    story.host("two", "abcd")
    assert {TopicName("two"): frozenset("abcd")} == story.cluster.topics

    story.host("two", "a")
    story.host("one", "bcd")
    assert {1, 3} == {len(it) for it in story.cluster.topics.values()}
