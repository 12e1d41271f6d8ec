"""The laws of the jury, on clusters and faults that Hypothesis makes up."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebalance.brokers.cluster import Cluster
from rebalance.brokers.decisions import BrokerDecision, ReportRefused, VerdictIssued
from rebalance.brokers.events import ClusterName
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.step import step
from tests.builders.cluster_story import FAILS, FINE, ClusterStory, View
from tests.builders.effort import tried

BROKERS = "abcd"
LATENCIES = [FAILS, 0.5, FINE, 90.0, 400.0, 2_900.0, 3_100.0]

views = st.dictionaries(st.sampled_from(BROKERS), st.sampled_from(LATENCIES))
some_views = st.lists(views, min_size=1, max_size=8)


def acted_on(decisions: Sequence[BrokerDecision]) -> list[tuple[object, ...]]:
    """What readers act on; figures and wording may differ by what a liar says."""
    return [
        (it.broker, it.available, it.since_ms, it.until_ms, it.detector, it.panic, it.testers)
        for it in decisions
        if isinstance(it, VerdictIssued)
    ]


LIARS = {"r2", "r5"}
"""Two of seven, where it takes three."""


@pytest.mark.slow
@tried(one_in=4)
@given(some_views, st.data())
def test_a_lying_minority_below_the_quorum_changes_nothing(
    truth: list[View], data: st.DataObject
) -> None:
    """Where all others speak of each broker: whatever the liars say, the verdicts are the same."""
    honest, lied = (quorum_of_three() for _ in range(2))
    for view in truth:
        lies = {who: data.draw(lied_views, label=who) for who in LIARS}
        honest.sweep(view)
        lied.sweep(view, lies=lies, astray=data.draw(some_liars))

        assert acted_on(honest.decisions) == acted_on(lied.decisions)


lied_views = st.dictionaries(st.sampled_from([*BROKERS, "z"]), st.sampled_from(LATENCIES))
some_liars = st.sets(st.sampled_from(sorted(LIARS)))
sweeps = st.tuples(views, st.sets(st.sampled_from(BROKERS)), lied_views, lied_views, some_liars)


def quorum_of_three() -> ClusterStory:
    """Seven reporters, of which it takes three."""
    return ClusterStory(BROKERS, reporters=7, policy=VerdictPolicy(quorum=3))


@tried(least=200)
@given(st.lists(sweeps, min_size=1, max_size=9))
def test_liars_below_the_quorum_do_nothing_alone(
    told: list[tuple[View, set[str], View, View, set[str]]],
) -> None:
    """Where the others are silent of some: they take none out, bring none back, invent none."""
    story, complaints = quorum_of_three(), list[set[str]]()
    story.sweep()
    for view, silent, one, other, astray in told:
        out, spoken = story.outs(), set(BROKERS) - silent
        complaints.append({name for name in spoken if view.get(name, FINE) != FINE})
        story.sweep(view, silent=silent, lies={"r2": one, "r5": other}, astray=astray)
        ended = {name for name, until in out.items() if story.outs().get(name) != until}

        assert story.outs().keys() - out.keys() <= set().union(*complaints[-STREAK:])
        for name in ended:
            if name in story.outs():  # prolonged
                assert name in complaints[-1]
            elif out[name] > story.now:  # tested well, and not by liars alone
                assert name in spoken
                assert view.get(name, FINE) != FAILS
        assert set(BROKERS) == set(story.cluster.brokers)


STREAK = 7
"""Sweeps after which nobody counts failures of a reporter that was silent since."""


commands = st.tuples(st.sampled_from(BROKERS), st.booleans(), st.none() | st.integers(1, 60_000))
hostings = st.tuples(st.sampled_from(["t", "u"]), st.sets(st.sampled_from(BROKERS)).map("".join))
happenings = st.lists(views | commands | hostings, max_size=25)


def live(story: ClusterStory, happened: object) -> None:
    """Let one thing happen."""
    match happened:
        case dict():
            story.sweep(happened, lies={"r0": {"a": FAILS}})
        case (str(broker), bool(available), None | int() as lasting):
            story.command(broker, available=available, lasting=lasting)
        case (str(topic), str(hosts)):
            story.host(topic, hosts)


@tried(one_in=4)
@given(happenings)
def test_never_all_unavailable_and_never_the_last_of_a_topic(happened: list[object]) -> None:
    """I11, after every single record, whoever asks for it."""
    story = ClusterStory(BROKERS)
    story.sweep()
    for each in happened:
        live(story, each)
        out = set(story.out)
        assert out < set(story.cluster.brokers)
        for hosts in story.cluster.topics.values():
            assert not hosts <= out


@tried(one_in=4)
@given(happenings, st.data())
def test_it_makes_no_difference_how_the_log_is_cut(
    happened: list[object], data: st.DataObject
) -> None:
    """One event at a time, or many: the same cluster, and the same verdicts in the same order."""
    story = ClusterStory(BROKERS, reporters=3)
    for each in happened:
        live(story, each)
    cluster, decisions, log = Cluster(ClusterName("story")), list[BrokerDecision](), story.log
    while log:
        cut = data.draw(st.integers(1, len(log)))
        after = step(cluster, log[:cut], story.policy)
        cluster, log = after.cluster, log[cut:]
        decisions += after.decisions

    assert story.cluster == cluster
    assert story.decisions == decisions


@pytest.mark.slow
@tried(one_in=4)
@given(st.lists(st.booleans(), min_size=30, max_size=60))
def test_a_broker_turns_at_most_fourteen_times_in_ten_minutes(well: list[bool]) -> None:
    """E7, whatever the rhythm of its trouble."""
    story = ClusterStory("abc", reporters=2)
    for fine in well:
        story.sweep({} if fine else {"a": 900.0})
    turned = [it for it in story.decisions if isinstance(it, VerdictIssued) and it.turned]

    assert len(turned) <= 14


@tried(one_in=4)
@given(happenings)
def test_a_replay_is_the_same_and_changes_nothing_it_was_given(happened: list[object]) -> None:
    """The same events make the same verdicts; the state that went in stays as it was."""
    story = ClusterStory(BROKERS, reporters=3)
    for each in happened:
        live(story, each)
    first = step(Cluster(ClusterName("story")), story.log, story.policy)
    before = repr(first.cluster)
    step(first.cluster, story.log[-10:], story.policy)

    assert before == repr(first.cluster)
    assert first == step(Cluster(ClusterName("story")), story.log, story.policy)
    assert [] == [it for it in first.decisions if isinstance(it, ReportRefused)]
