"""Orders of operators, and the limits that spare a broker from them and from the jury."""

import pytest

from rebalance.brokers.decisions import BrokerCommandAnswered, VerdictWithdrawn
from rebalance.brokers.policy import VerdictPolicy
from rebalance.brokers.step import step
from rebalance.ids import BrokerName
from rebalance.stamp import Ticked
from tests.builders.cluster_story import FAILS, ClusterStory, sights


def answers(story: ClusterStory) -> list[tuple[bool, str]]:
    """What became of each command."""
    return [(it.done, it.detail) for it in story.decisions if isinstance(it, BrokerCommandAnswered)]


def test_every_command_is_answered() -> None:
    """Done, or refused with the reason; one that a limit spares is done and says so."""
    story = ClusterStory(policy=VerdictPolicy(brokers_max=5))
    story.sweep()
    story.command("a", available=False)
    story.command("a", available=True)
    story.forget("a")
    story.forget("a")
    story.command("f", available=False)
    story.command("g", available=False)
    full = "more than 5 brokers"

    assert [
        (True, ""),
        (True, ""),
        (True, ""),
        (False, "no broker is known as a"),
        (True, ""),
        (False, full),
    ] == answers(story)


def test_the_answer_says_that_a_broker_is_spared() -> None:
    """The last one of a topic stays in use, and whoever ejected it learns that at once."""
    story = ClusterStory()
    story.sweep()
    story.host("orders", "a")
    story.command("a", available=False)
    ((done, detail),) = answers(story)

    assert done
    assert detail.startswith("spared, ")


@pytest.mark.parametrize("available", [False, True])
def test_a_command_that_is_over_when_it_comes_is_refused(*, available: bool) -> None:
    """By the broker's clock: who gave it by a slow one would think that it is in force."""
    story = ClusterStory()
    story.sweep()
    story.command("a", available=False)
    story.command("a", available=available, lasting=-60_000)

    assert [(True, ""), (False, "its end was 60 s ago by Kafka's clock")] == answers(story)
    assert "a" == story.out


def test_an_operator_s_eject_wins_until_it_lapses() -> None:
    """At once, whatever the reporters say, and back at once when its time is over."""
    story = ClusterStory()
    story.sweep()
    story.command("a", available=False, lasting=25_000)
    assert ("a", "operator", "because") == (
        story.out,
        story.verdict("a").detector,
        story.verdict("a").reason,
    )
    story.sweep(times=2)
    assert "a" == story.out
    story.pass_time(5_000)
    assert ("", True) == (story.out, story.verdict("a").available)


@pytest.mark.parametrize("available", [False, True])
def test_a_command_ends_when_it_is_over_for_those_who_read_it(*, available: bool) -> None:
    """The controller was away for two hours, and the log clock stood: then detectors judge again.

    Nobody obeys it any more, so it may neither hide complaints nor count as an ejection.
    """
    story, hour = ClusterStory(), 3_600_000
    story.sweep()
    story.command("a", available=available, lasting=hour)
    story.away = 2 * hour
    story.pass_time(1)
    story.sweep(times=2)
    assert {} == story.cluster.commands
    story.sweep({"a": FAILS})
    assert ("a", "failures") == (story.out, story.verdict("a").detector)


@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_a_command_is_over_at_the_same_record_however_the_log_is_cut(size: int) -> None:
    """After a gap a jury that is not due reads no tick of the batch."""
    story = ClusterStory()
    story.sweep()
    story.command("a", available=False, lasting=3_600_000)
    story.away = 7_200_000
    cluster, stamps = story.cluster, []
    for _ in range(30):
        story.now += 1_000
        stamps.append(story.stamp())
    for first in range(0, 30, size):
        batch = [Ticked(it) for it in stamps[first : first + size]]
        if cluster.deadline is not None and batch[-1].stamp.clock >= cluster.deadline:
            cluster = step(cluster, batch, story.policy).cluster
        known = batch[-1].stamp.clock - stamps[0].clock
        assert (known < 19_000) == bool(cluster.commands)


def test_one_wrong_stamp_ends_no_command() -> None:
    """It would be over for good; the next record shows the time again."""
    story = ClusterStory()
    story.sweep()
    story.command("a", available=False, lasting=3_600_000)
    story.away = 7_200_000
    story.pass_time(story.policy.sweep_ms)
    story.away = 0
    story.pass_time(story.policy.sweep_ms)

    assert "a" == story.out


@pytest.mark.parametrize("sweeps", [1, 2])
def test_complaints_do_not_outlive_what_spoke_for_a_broker_that_is_kept_out(sweeps: int) -> None:
    """Nobody calls it meanwhile: a minority's failures would be all that is left of the votes."""
    story = ClusterStory(reporters=7)
    minority = {who: {"a": FAILS} for who in story.reporters[: story.policy.quorum]}
    story.sweep(lies=minority)
    assert "" == story.out
    story.command("a", available=False, lasting=sweeps * story.policy.sweep_ms)
    for _ in range(sweeps):
        assert "a" == story.out
        for reporter in story.reporters:
            story.report(reporter, *sights(dict.fromkeys("bcde", 5.0)))
        story.pass_time(story.policy.sweep_ms)

    assert ("", True) == (story.out, story.verdict("a").available)


def test_an_operator_s_restore_wins_until_it_lapses() -> None:
    """What the detectors held against the broker is taken back, and may be found again later."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    story.command("c", available=True, lasting=60_000)
    assert ("", "operator") == (story.out, story.verdict("c").detector)
    story.sweep({"c": FAILS}, times=5)
    assert "" == story.out
    story.sweep({"c": FAILS}, times=3)
    assert "c" == story.out


def test_a_restore_without_end_binds_nobody() -> None:
    """It is done, and then the detectors judge again; a command that is late does nothing."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    story.command("c", available=True)
    assert ("", 0) == (story.out, story.cluster.brokers[BrokerName("c")].ejections)
    story.command("a", available=False, lasting=-1)
    assert {} == story.cluster.commands
    story.sweep({"c": FAILS}, times=2)
    assert "c" == story.out


def test_a_restore_takes_back_the_votes_too() -> None:
    """Failures of before do not condemn a broker again that nobody has tried since."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    story.command("c", available=True)
    for reporter in story.reporters:
        story.report(reporter, *sights(dict.fromkeys("abde", 5.0)))
    story.pass_time(10_000)
    assert "" == story.out


def test_forgetting_takes_everything_back() -> None:
    """Orders, ejection, past and record; reports make the broker known again."""
    story = ClusterStory()
    story.sweep({"c": FAILS}, times=2)
    story.command("a", available=False)
    story.report("r0", *sights({"c": FAILS}))
    story.forget("c")
    story.forget("a")

    assert ("", {}) == (story.out, story.cluster.commands)
    gone = [it.broker for it in story.decisions if isinstance(it, VerdictWithdrawn)]
    assert ["c", "a"] == gone
    story.sweep()
    assert story.verdict("c").available


def test_nobody_can_take_out_the_last_broker() -> None:
    """Not even an operator: the command is shown as spared, and comes true when it may."""
    story = ClusterStory("ab")
    story.sweep()
    story.command("a", available=False)
    story.command("b", available=False)
    assert "a" == story.out
    assert "spared, too few would be left: because" == story.verdict("b").reason

    story.command("a", available=True)
    assert "b" == story.out


def test_at_most_a_third_is_out() -> None:
    """Thirty per cent, but one is always allowed."""
    for brokers, most in (("ab", 1), ("abc", 1), ("abcdefg", 2), ("abcdefghij", 3)):
        story = ClusterStory(brokers)
        bad = dict.fromkeys(brokers[: (len(brokers) - 1) // 2] or "a", FAILS)
        story.sweep(bad, times=3)
        assert (most, False) == (len(story.out), story.panic)
        assert story.out == brokers[:most]


def test_who_is_condemned_and_spared_is_said_to_be() -> None:
    """With the limit that spares it, once, until it is out or well."""
    story = ClusterStory("abcdefg")
    story.sweep(dict.fromkeys("abc", FAILS), times=3)
    spared = story.verdict("c")
    assert ("ab", True, "failures") == (story.out, spared.available, spared.detector)
    assert spared.reason.startswith("spared, no more than 2 of 7 may be out: 25 failures in a row")
    assert [spared] == story.issued("c")

    story.command("a", available=True, lasting=60_000)
    story.sweep(dict.fromkeys("abc", FAILS))
    assert "bc" == story.out
    story.sweep(times=4)
    assert ("", None, "nothing against it") == (
        story.out,
        story.verdict("c").detector,
        story.verdict("c").reason,
    )


def test_the_last_broker_of_a_topic_is_said_to_be_spared() -> None:
    """It is not passed off as fit; a command to restore it takes that back with all the rest."""
    story = ClusterStory()
    story.host("orders", "c")
    story.sweep({"c": FAILS})
    assert ("", "failures") == (story.out, story.verdict("c").detector)
    assert story.verdict("c").reason.startswith("spared, too few would be left: ")

    story.command("c", available=True)
    assert "nothing against it" == story.verdict("c").reason


def test_a_broker_that_an_operator_keeps_in_use_spares_no_other() -> None:
    """It is complained of too, but it stays: so the topic keeps a broker without the other one."""
    story = ClusterStory("abcdefg")
    story.host("orders", "ab")
    story.sweep()
    story.command("a", available=True, lasting=60_000)
    story.sweep(dict.fromkeys("ab", FAILS))

    assert "b" == story.out


def test_brokers_that_were_replaced_count_for_no_limit() -> None:
    """Theirs would be a place in the room for those that are out, for an hour."""
    story = ClusterStory("abcdefghij")
    story.sweep(times=3)
    story.brokers = "klmnopqrst"
    story.sweep(times=10)
    story.sweep(dict.fromkeys("klmn", FAILS), times=2)

    assert 3 == len(story.out)


def test_brokers_that_operators_keep_out_are_not_left() -> None:
    """A rack of two is in maintenance: without a third one less than half would be left."""
    story = ClusterStory("abcd")
    story.sweep()
    for name in "ab":
        story.command(name, available=False, lasting=3_600_000)
    story.sweep({"c": FAILS}, silent="ab", times=2)

    assert ("ab", True) == (story.out, story.panic)
