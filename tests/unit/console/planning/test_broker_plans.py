"""What a dry run says of a broker is what the jury then does."""

import pytest

from console.planning.brokers import plan
from rebalance.brokers.decisions import BrokerCommandAnswered
from rebalance.ids import BrokerName
from sinks.brokers import verdict_of
from tests.builders.cluster_story import EPOCH, FAILS, ClusterStory
from trimtab.protocol import Eject, Forget, Hosts, Restore


def eject(broker: str) -> Eject:
    """A command to take a broker out of use."""
    return Eject(id="c1", principal="ann", reason="because", broker=broker)


def restore(broker: str) -> Restore:
    """A command to put it back."""
    return Restore(id="c1", principal="ann", reason="because", broker=broker)


def forget(broker: str) -> Forget:
    """A command to know nothing of it."""
    return Forget(id="c1", principal="ann", reason="because", broker=broker)


def asked(
    story: ClusterStory, command: Eject | Restore | Forget, *hosts: Hosts
) -> tuple[bool, str, dict[str, tuple[str, str]]]:
    """Ask for a plan, from nothing but what is published."""
    verdicts = [verdict_of(it) for it in story.cluster.told.values()]
    told = plan("story", verdicts, hosts, command, story.policy, EPOCH + story.now)
    changed = {str(it["broker"]): (str(it["before"]), str(it["after"])) for it in told.rows}
    return told.done, told.detail, {name: it for name, it in changed.items() if it[0] != it[1]}


def happens(story: ClusterStory, broker: str, *, available: bool) -> tuple[bool, str, str]:
    """Give the command; return its answer, and who is out then."""
    story.command(broker, available=available)
    (answer,) = (it for it in story.decisions if isinstance(it, BrokerCommandAnswered))
    return answer.done, answer.detail, story.out


def test_a_broker_goes_out_of_use() -> None:
    """And only that one."""
    story = ClusterStory()
    story.sweep()
    done, detail, changed = asked(story, eject("a"))

    assert {"a": ("available", "out")} == changed
    assert (done, detail, "a") == happens(story, "a", available=False)


def test_a_broker_that_the_jury_has_ejected_comes_back() -> None:
    """A command wins over the detectors."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    assert "c" == story.out
    done, detail, changed = asked(story, restore("c"))

    assert {"c": ("out", "available")} == changed
    assert (done, detail, "") == happens(story, "c", available=True)


@pytest.mark.parametrize("brokers", ["a", "ab"])
def test_the_last_broker_of_a_topic_would_be_spared(brokers: str) -> None:
    """Which one that is stands in what the host watcher says."""
    story = ClusterStory(brokers="abc")
    story.sweep()
    story.host("orders", brokers)
    for name in brokers[1:]:
        story.command(name, available=False)
    story.pass_time(1_000)
    story.decisions.clear()
    done, detail, changed = asked(story, eject("a"), Hosts(topic="orders", brokers=tuple(brokers)))

    assert {} == changed
    assert detail.startswith("spared, too few would be left")
    assert (done, detail.partition(": ")[0]) == (
        happens(story, "a", available=False)[0],
        story.verdict("a").reason.partition(": ")[0],
    )


def test_a_broker_is_forgotten() -> None:
    """One that is not known cannot be, as the jury would answer."""
    story = ClusterStory()
    story.sweep()

    assert (True, "", {"a": ("available", "not known")}) == asked(story, forget("a"))
    assert (False, "no broker is known as x", {}) == asked(story, forget("x"))
    assert BrokerName("a") in story.cluster.brokers


def test_a_verdict_that_has_lapsed_keeps_nobody_out() -> None:
    """A controller that is gone cannot have said that it ended; readers count it as available."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    story.now += 3_600_000

    assert {} == asked(story, restore("c"))[2]
    assert {"c": ("available", "out")} == asked(story, eject("c"))[2]
