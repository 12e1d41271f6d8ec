"""The pace: where there are many members they beat less often, and are believed in for longer."""

from dataclasses import replace

import pytest

from rebalance.groups.model.commands import ChoosePolicy, Pace
from rebalance.groups.model.decisions import AssignmentIssued, CommandAnswered, MemberChanged
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from tests.builders.records import beat_of, commanded, joined, registered
from tests.builders.story import Story, only, two_members

AUTO = Policy(heartbeat_auto=True)
SLOWLY = Pace(Millis(12_000))


def many() -> Story:
    """Two members of a controller that may ask them to beat less often."""
    story = two_members()
    story.policy = AUTO
    return story


def timeouts(story: Story) -> set[tuple[int, int]]:
    """Return the intervals and sessions that the members were told by the last batch."""
    return {
        (it.heartbeat_interval_ms, it.session_timeout_ms)
        for it in only(AssignmentIssued, story.decided)
    }


def test_all_members_are_asked_to_beat_less_often_and_their_sessions_are_longer() -> None:
    """Four beats in a session, and the summary says it, with the command as the cause."""
    story = many()

    story.reads(commanded(SLOWLY, name="c1"))

    told = only(AssignmentIssued, story.decided)
    assert {"a", "b"} == {it.life.member for it in told}
    assert {(12_000, 48_000)} == timeouts(story)
    (summary,) = only(GroupSummarised, story.decided)
    assert (12_000, "c1") == (summary.pace_ms, summary.cause.subject)


def test_who_is_silent_for_less_than_its_longer_session_lives() -> None:
    """Nobody is taken for dead who may still keep to what it was told."""
    story = many()
    story.reads(commanded(SLOWLY))

    assert [] == only(MemberChanged, story.waits(seconds=47))
    assert {"a", "b"} == {it.member for it in only(MemberChanged, story.waits(seconds=40))}


def test_when_the_load_falls_they_beat_more_often_and_no_session_gets_shorter() -> None:
    """A member that learns late of a shorter session would trust in the longer one meanwhile."""
    story = many()
    story.reads(commanded(SLOWLY, name="c1"))

    story.reads(commanded(Pace(Millis(3_000)), name="c2"))

    assert {(3_000, 48_000)} == timeouts(story)
    assert 0 == only(GroupSummarised, story.decided)[-1].pace_ms


def test_a_newcomer_beats_at_the_pace_too() -> None:
    """Whatever session it asks for; one that asks for a longer one has it."""
    story = many()
    story.reads(commanded(SLOWLY))

    story.reads(joined("c", session_ms=10_000), joined("d", session_ms=60_000))

    told = {it.life.member: it for it in only(AssignmentIssued, story.decided)}
    assert (12_000, 48_000) == (
        told[MemberId("c")].heartbeat_interval_ms,
        told[MemberId("c")].session_timeout_ms,
    )
    assert (12_000, 60_000) == (
        told[MemberId("d")].heartbeat_interval_ms,
        told[MemberId("d")].session_timeout_ms,
    )


def test_the_same_pace_twice_tells_nobody_twice() -> None:
    """A controller that starts says it again to be sure."""
    story = many()
    story.reads(commanded(SLOWLY, name="c1"))

    epoch = story.state.epoch
    story.reads(commanded(SLOWLY, name="c2"))

    (answer,) = only(CommandAnswered, story.decided)
    refusal = ("refused", "the members already beat at this interval")
    assert refusal == (answer.outcome, answer.detail)
    assert [] == only(AssignmentIssued, story.decided)
    assert epoch == story.state.epoch, "an operator's command in view of it still counts"


def test_who_joined_while_the_group_had_an_interval_of_its_own_is_told_when_it_has_none() -> None:
    """Its session is as long then as that of the others."""
    story = many()
    story.reads(commanded(SLOWLY, name="c1"))
    story.reads(commanded(ChoosePolicy(Overrides(heartbeat_interval_ms=Millis(2_000))), name="c2"))
    story.reads(joined("c"))

    story.reads(commanded(ChoosePolicy(), name="c3"))

    assert {(12_000, 48_000)} == timeouts(story)
    assert {"a", "b", "c"} == {it.life.member for it in only(AssignmentIssued, story.decided)}


def test_a_member_whose_eviction_is_held_is_not_held_for_longer() -> None:
    """It is silent, so it cannot know of a longer session."""
    story = many()
    story.policy = replace(AUTO, blast_members=1, blast_percent=10)
    story.waits(seconds=11)
    held = dict(story.state.membership.suspected)

    story.reads(commanded(SLOWLY))

    assert {"a", "b"} == set(held)
    assert held == dict(story.state.membership.suspected)
    sessions = {it.session_timeout_ms for it in story.state.membership.members.values()}
    assert {10_000} == sessions


def test_whose_interval_stays_is_told_nothing() -> None:
    """It beats three times in its session already, and its session stays: its eviction is held."""
    story = many()
    seldom = replace(AUTO, heartbeat_interval_ms=Millis(4_000))
    story.policy = replace(seldom, blast_members=1, blast_percent=10)
    story.waits(seconds=11)

    story.reads(commanded(SLOWLY))

    assert {"a", "b"} == set(story.state.membership.suspected)
    assert [] == only(AssignmentIssued, story.decided)


def test_no_session_is_longer_than_the_longest() -> None:
    """So a pace that would need one is not kept to."""
    story = many()
    story.policy = replace(AUTO, session_timeout_ms_max=Millis(20_000))

    story.reads(commanded(SLOWLY))

    assert {(5_000, 20_000)} == timeouts(story)


@pytest.mark.parametrize(
    ("policy", "own"),
    [
        (Policy(), Overrides()),
        (AUTO, Overrides(heartbeat_interval_ms=Millis(2_000))),
    ],
    ids=["the controller's", "the group's own"],
)
def test_an_interval_that_somebody_chose_stays(policy: Policy, own: Overrides) -> None:
    """Only who leaves it to the controller is asked for another."""
    story = two_members()
    story.policy = policy
    story.reads(commanded(ChoosePolicy(own), name="c1"))

    story.reads(commanded(SLOWLY, name="c2"))

    (answer,) = only(CommandAnswered, story.decided)
    assert ("refused", "its heartbeat_interval is not auto") == (answer.outcome, answer.detail)
    assert [] == only(AssignmentIssued, story.decided)


def test_a_client_of_rocketmq_beats_by_its_own_clock() -> None:
    """It reads no record, so its session stays as it is."""
    story = Story(policy=AUTO)
    story.reads(registered("a"))
    session = story.state.membership.members[MemberId("a")].session_timeout_ms

    story.reads(commanded(Pace(Millis(60_000))))
    story.reads(registered("b"))

    members = story.state.membership.members.values()
    assert {session} == {it.session_timeout_ms for it in members}


def test_at_a_pace_a_member_that_was_asked_is_not_suspected_of_not_reading() -> None:
    """It may take one of its longer intervals until a beat shows what it has read."""
    story = many()
    story.reads(commanded(SLOWLY))
    for _ in range(3):
        story.waits(seconds=12)
        story.reads(beat_of("a", epoch=story.state.epoch), beat_of("b", epoch=story.state.epoch))

    assert [] == only(MemberChanged, story.decided)
    assert {"a", "b"} == set(story.state.membership.members)
