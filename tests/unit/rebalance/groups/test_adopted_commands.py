"""Adoption, and what operators commanded before and meanwhile."""

import pytest

from rebalance.groups.model.commands import (
    ChooseStrategy,
    DrainMember,
    EvictMember,
    Forget,
    Pause,
    RebalanceNow,
    Resume,
    UndrainMember,
)
from rebalance.groups.model.decisions import (
    AssignmentWithdrawn,
    CommandAnswered,
    Outcome,
    PauseEnded,
)
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import MemberId, Millis
from tests.builders.amnesia import a_story, at_work, beats
from tests.builders.notation import life
from tests.builders.records import commanded, drained, joined, left, routed
from tests.builders.story import only


def test_commands_of_the_past_hit_nobody_of_today() -> None:
    """An eviction, a forgetting, a drain: the life that it was for is over."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(commanded(EvictMember(life("a")[0])))
    story.waits(seconds=1)
    story.reads(commanded(Forget()))
    story.waits(seconds=1)
    story.reads(joined("a:2"), routed("orders", 2))
    pages = story.pages()
    story.forgets(kept=2)

    assert pages == story.pages()
    assert {"a": "2"} == {
        name: it.incarnation for name, it in story.state.membership.members.items()
    }
    assert [] == only(AssignmentWithdrawn, story.decided)


def test_a_pause_of_the_past_still_holds() -> None:
    """It is read again with all commands of the log."""
    story = at_work()
    story.reads(commanded(Pause(None)))
    story.forgets()

    assert story.state.rules.paused


@pytest.mark.parametrize("left", [-40, 25])
def test_a_pause_for_a_time_ends_when_people_were_told(left: int) -> None:
    """Also read again with all commands of the log, at a clock that has just begun."""
    story = at_work()
    story.reads(commanded(Pause(Millis(story.wall + 60_000))))
    for _ in range((60 - left) // 5):
        story.waits(seconds=5)
        story.reads(*beats(story, "a", "b"))
    ended = len(only(PauseEnded, story.decisions))
    assert (left < 0) == ended
    story.forgets(still=True)

    assert (left > 0) == story.state.rules.paused
    for _ in range(max(0, left) // 5):
        assert story.state.rules.paused
        story.waits(seconds=5)
        story.reads(*beats(story, "a", "b"))
    assert not story.state.rules.paused
    assert 1 == len(only(PauseEnded, story.decisions))


def test_commands_that_nobody_had_read() -> None:
    """They are obeyed and answered as if nothing had happened."""
    story = at_work()
    story.wall += 1
    story.missed(commanded(Pause(None)))
    story.forgets()

    assert story.state.rules.paused
    assert [Outcome.DONE] == [it.outcome for it in only(CommandAnswered, story.decided)]


def test_commands_from_before_the_log_begins_to_know_members() -> None:
    """Orders are kept for longer than joins, and still hold; and so does a forgetting."""
    story = at_work()
    story.reads(commanded(Pause(None)))
    story.forgets(kept=len(story.log) - 1)
    assert story.state.rules.paused

    again = a_story()
    again.reads(joined("a"), routed("orders", 1))
    again.reads(left("a"))
    again.reads(commanded(Forget()))
    again.reads(joined("a:2"))
    again.wall += 1
    again.missed(commanded(Pause(None)))
    again.forgets(kept=3)
    assert again.state.rules.paused


@pytest.mark.parametrize("kept", [0, 3], ids=["joins are known", "joins are forgotten"])
def test_a_drain_of_the_past_still_holds(kept: int) -> None:
    """Commands are kept for longer than joins; what it was asked to let go is others'."""
    story = a_story()
    story.reads(joined("a"), joined("b"))
    story.reads(routed("orders", 4))
    story.reads(commanded(DrainMember(MemberId("b"))))
    story.settles()
    pages = story.pages()
    story.forgets(kept=kept)
    story.reads(joined("a", sequence=1_000), joined("b", sequence=1_000))
    story.settles()

    assert story.state.membership.members[MemberId("b")].dismissed
    assert pages == story.pages()


def test_a_drain_of_the_past_that_was_taken_back_does_not_hold() -> None:
    """The last command counts."""
    story = a_story()
    story.reads(joined("a"), joined("b"))
    story.reads(routed("orders", 4))
    story.reads(commanded(DrainMember(MemberId("b")), name="drain"))
    story.settles()
    story.reads(commanded(UndrainMember(MemberId("b")), name="undrain"))
    story.forgets(kept=3)

    assert not story.state.membership.members[MemberId("b")].draining


@pytest.mark.parametrize("stops", [DrainMember, EvictMember])
@pytest.mark.parametrize("joins", [True, False], ids=["joins are known", "joins are forgotten"])
@pytest.mark.parametrize("late", [0, 5], ids=["with a decision", "long after the last one"])
def test_who_was_not_to_be_stopped_is_not_stopped_later(
    stops: type[DrainMember] | type[EvictMember], late: int, *, joins: bool
) -> None:
    """Whether the others have room cannot be seen in the past, nor without their joins."""
    story = a_story()
    story.reads(joined("a", capacity=2), joined("b"), routed("orders", 4))
    story.settles()
    kept = 0 if joins else len(story.log)
    story.waits(seconds=late)
    story.reads(commanded(stops(MemberId("b"))))
    assert [Outcome.REFUSED] == [it.outcome for it in only(CommandAnswered, story.decided)]
    story.waits(seconds=2)
    pages = story.pages()
    story.forgets(kept=kept)

    assert [] == only(CommandAnswered, story.decided), "it was answered"
    assert not story.state.membership.members[MemberId("b")].draining
    story.reads(joined("a", capacity=2, sequence=1_000), joined("b", sequence=1_000))
    story.settles()
    assert pages == story.pages()


@pytest.mark.parametrize("stops", [DrainMember, EvictMember])
@pytest.mark.parametrize("late", [0, 5], ids=["with a decision", "long after the last one"])
def test_who_was_not_to_be_stopped_in_view_of_an_epoch_is_not_stopped_later(
    stops: type[DrainMember] | type[EvictMember], late: int
) -> None:
    """Such a refusal draws no epoch, and the one that a start draws is another."""
    story = a_story()
    story.reads(joined("a", capacity=2), joined("b"), routed("orders", 4))
    story.settles()
    kept = len(story.log)
    story.waits(seconds=late)
    epoch = story.state.epoch
    story.reads(commanded(stops(MemberId("b")), base=epoch))
    assert [Outcome.REFUSED] == [it.outcome for it in only(CommandAnswered, story.decided)]
    story.waits(seconds=2)
    assert epoch == story.state.epoch
    story.forgets(kept=kept)

    assert {"a", "b"} == {*story.state.membership.members}
    assert not story.state.membership.members[MemberId("b")].draining


def test_a_drain_in_a_pause_still_holds_though_an_eviction_was_refused() -> None:
    """In a pause what drains keeps its queues, so these say nothing of it."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.settles()
    story.reads(commanded(Pause(None)))
    commands = commanded(EvictMember(MemberId("a"))), commanded(DrainMember(MemberId("a")))
    answers = only(CommandAnswered, story.reads(*commands))
    assert [Outcome.REFUSED, Outcome.DONE] == [it.outcome for it in answers]
    story.forgets()
    story.reads(joined("a", sequence=1_000), commanded(Resume()))
    story.settles()

    assert {"b"} == {*story.owners().values()}


@pytest.mark.parametrize("asks", [True, False], ids=["by itself", "by command"])
@pytest.mark.parametrize("cut", [True, False])
def test_a_process_that_came_after_a_drained_one_works(*, asks: bool, cut: bool) -> None:
    """Also where the machine was lost while the epoch that let it in was published."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.settles()
    story.reads(drained("b") if asks else commanded(DrainMember(MemberId("b"))))
    story.settles()
    story.waits(seconds=1)
    said = len(story.decisions)
    story.reads(left("b"), joined(f"b:{story.wall}-1"))
    if cut:
        rest = [it for it in story.decisions[said:] if not isinstance(it, GroupSummarised)]
        story.decisions[said:] = rest
    story.forgets()

    assert not story.state.membership.members[MemberId("b")].draining


def test_of_twins_that_are_told_apart_the_one_that_was_drained_drains() -> None:
    """Who was there first is in the summary by the name of both; its record has another one."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.reads(commanded(DrainMember(MemberId("b"))))
    story.settles()
    story.policy = Policy(on_twin=TwinRule.SEPARATE)
    story.reads(joined("b:2"))
    story.settles()
    story.forgets()

    members = story.state.membership.members.items()
    assert ["b@1"] == [name for name, it in members if it.dismissed]


def test_who_was_drained_as_a_twin_drains_by_the_name_of_both() -> None:
    """Twins are told apart no longer."""
    story = a_story(Policy(on_twin=TwinRule.SEPARATE))
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    story.reads(commanded(DrainMember(MemberId("b@1"))))
    story.settles()
    story.policy = Policy()
    story.forgets()

    assert story.state.membership.members[MemberId("b")].dismissed


def test_a_drain_in_view_of_an_epoch_still_holds() -> None:
    """The summary says who drained, whatever the command; a member that had asked for it may."""
    story = a_story()
    story.reads(joined("a"), joined("b"), joined("c"), routed("orders", 6))
    story.settles()
    story.reads(commanded(DrainMember(MemberId("b")), base=story.state.epoch), drained("c"))
    story.settles()
    story.forgets()

    members = story.state.membership.members
    assert {"a": (False, False), "b": (True, True), "c": (True, False)} == {
        name: (it.draining, it.dismissed) for name, it in members.items()
    }


def test_a_forgetting_that_was_refused_is_not_obeyed_later() -> None:
    """Its members' joins are not known any more, and the group's own strategy stays."""
    story = a_story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    joins = len(story.log)
    story.reads(commanded(ChooseStrategy("AVG"), name="choose"))
    story.reads(commanded(Forget(), name="forget"))
    assert Outcome.REFUSED is only(CommandAnswered, story.decided)[-1].outcome
    story.waits(seconds=1)
    story.reads(commanded(RebalanceNow(), name="rebalance"))
    story.forgets(kept=joins)

    assert "AVG" == story.state.rules.strategy


@pytest.mark.parametrize(
    ("before", "after"),
    [("a:0-1", "a:0-2"), ("a:2-1", "a:3-1")],
    ids=["a client of RocketMQ", "a member"],
)
def test_a_forgetting_that_was_obeyed_is_obeyed_again(before: str, after: str) -> None:
    """Whoever is there by now has joined since, and does not say when, or the log says it."""
    story = a_story()
    story.reads(joined(before), routed("orders", 4))
    story.reads(commanded(ChooseStrategy("AVG"), name="choose"))
    story.reads(left(before))
    story.reads(commanded(Forget(), name="forget"))
    story.reads(joined(after), routed("orders", 4))
    story.settles()
    assert story.state.rules.strategy is None
    story.forgets()

    assert story.state.rules.strategy is None
