"""A join that is said again, or arrives late, takes back nothing that came after it."""

import pytest

from rebalance.groups.members import departures
from rebalance.groups.model.commands import DrainMember, EvictMember
from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import InstanceId, MemberId
from tests.builders.records import MemberRecord, beat_of, commanded, drained, joined, left, routed
from tests.builders.story import Story, only

A, B = MemberId("a"), MemberId("b")


def a_story(policy: Policy | None = None) -> Story:
    """Begin with two members; b has said three things."""
    story = Story(policy=policy or Policy())
    story.reads(joined("a"), joined("b", sequence=3), routed("orders", 2))
    return story


REPEATED = [joined("b", sequence=3), joined("b", sequence=2)]


@pytest.mark.parametrize("again", REPEATED, ids=["the same", "an older one"])
def test_it_does_not_undo_a_drain(again: MemberRecord) -> None:
    """Neither an operator's nor the member's own."""
    for drain in (commanded(DrainMember(B)), drained("b", sequence=4)):
        story = a_story()
        story.reads(drain)
        story.reads(again)

        assert story.state.membership.members[B].draining


@pytest.mark.parametrize("again", REPEATED, ids=["the same", "an older one"])
def test_it_does_not_bring_back_who_is_away(again: MemberRecord) -> None:
    """Only a newer word of the same life does, or the next life."""
    story = a_story()
    story.reads(left("b", sequence=4, temporary=True))
    story.reads(again)
    assert story.state.membership.members[B].away

    story.reads(joined("b", sequence=5))
    assert not story.state.membership.members[B].away


@pytest.mark.parametrize("again", REPEATED, ids=["the same", "an older one"])
def test_it_is_heard_and_answered(again: MemberRecord) -> None:
    """Whoever asks lives, and may not have read what it was told."""
    story = a_story()
    story.waits(seconds=9)
    decided = story.reads(again, beat_of("a"))
    story.waits(seconds=9)

    assert [B] == [issued.member for issued in only(AssignmentIssued, decided)]
    assert B in story.state.membership.members


def test_a_newer_join_takes_back_the_members_own_drain_only() -> None:
    """An operator's, or a successor's, stands for as long as this life."""
    own, dismissed = a_story(), a_story()
    own.reads(drained("b", sequence=4))
    dismissed.reads(commanded(DrainMember(B)))
    for story in (own, dismissed):
        story.reads(joined("b", "orders payments", sequence=5))

    assert [False, True] == [it.state.membership.members[B].draining for it in (own, dismissed)]

    dismissed.reads(joined("b:2"))
    assert not dismissed.state.membership.members[B].draining


def test_who_is_being_succeeded_stays_so() -> None:
    """Its successor is an heir already; the older one's join must not make it a rival again."""
    story = Story(policy=Policy(on_twin_instance=TwinRule.HAND_OVER))
    name = InstanceId("i")
    story.reads(joined("a", sequence=1, instance=name), routed("orders", 2))
    story.reads(joined("b", instance=name))
    story.reads(joined("a", sequence=9, instance=name))

    assert story.state.membership.members[A].draining


def test_a_leave_that_comes_late_is_over() -> None:
    """The member has joined again since (B4)."""
    story = a_story()
    story.reads(joined("b", sequence=5))
    story.reads(left("b", sequence=4), left("b", sequence=4, temporary=True))

    assert not story.state.membership.members[B].away


@pytest.mark.parametrize("cut", [False, True])
def test_a_join_after_the_leave_of_its_life_admits_no_ghost(*, cut: bool) -> None:
    """It is an old letter, by its number or by its life (F11)."""
    story = a_story()
    if cut:
        story.reads(left("b", sequence=4))
        story.reads(joined("b", sequence=3))
    else:
        story.reads(left("b", sequence=4), joined("b", sequence=3))
    story.reads(joined("b:0", sequence=9))
    assert {A} == story.state.membership.members.keys()
    assert story.records[B] is None

    story.reads(joined("b", sequence=5))
    assert {A, B} == story.state.membership.members.keys()


def test_a_younger_life_is_no_ghost() -> None:
    """Who left may come back."""
    story = a_story()
    story.reads(left("b", sequence=4), joined("b:2", sequence=1))

    assert {A, B} == story.state.membership.members.keys()


def test_who_was_removed_may_come_back_as_it_was() -> None:
    """It may be alive: it said no goodbye."""
    story = a_story()
    story.waits(seconds=5)
    story.reads(beat_of("a"))
    story.waits(seconds=6)
    assert {A} == story.state.membership.members.keys()

    story.reads(joined("b", sequence=3))
    assert {A, B} == story.state.membership.members.keys()


def test_who_is_evicted_is_told_so_before_it_is_admitted_again() -> None:
    """It begins anew, with a mark: its old life would not write one again (baton)."""
    story = a_story()
    story.reads(commanded(EvictMember(B)), joined("b", sequence=4, marks=True))
    assert {A} == story.state.membership.members.keys()
    assert story.records[B] is None

    story.reads(joined("b:2", sequence=1, marks=True))
    assert {A, B} == story.state.membership.members.keys()


def test_departures_are_forgotten() -> None:
    """After a while, at the next departure; and of very many the oldest."""
    story = a_story()
    story.reads(left("b", sequence=4))
    story.waits(seconds=departures.REMEMBERED_MS / 1_000)
    story.reads(joined("c", sequence=1))
    story.reads(left("c", sequence=2))
    assert {MemberId("c")} == story.state.membership.departures.keys()

    fleet = [f"m{number:04}" for number in range(departures.REMEMBERED + 1)]
    story.reads(*(joined(name, sequence=1) for name in fleet))
    story.reads(*(left(name, sequence=2) for name in fleet))
    assert departures.REMEMBERED == len(story.state.membership.departures)


def test_a_guard_decides_nothing() -> None:
    """Who is guarded from now on is noted, for people; it is no other wish."""
    story = a_story()
    before = story.state.group_epoch
    story.reads(joined("b", sequence=4, guarded=True))

    assert story.state.membership.members[B].guarded
    assert before == story.state.group_epoch
