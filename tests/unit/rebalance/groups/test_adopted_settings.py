"""Adoption, and what operators have set for a group: its summary says it."""

from dataclasses import replace

import pytest

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups.model.commands import (
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    Command,
    Pause,
    RebalanceNow,
    Resume,
)
from rebalance.groups.model.decisions import (
    CommandAnswered,
    Outcome,
    PauseEnded,
)
from rebalance.groups.model.overrides import Overrides
from rebalance.ids import Millis, TopicName
from tests.builders.amnesia import a_story, at_work, beats
from tests.builders.records import (
    commanded,
    joined,
    left,
    registered,
    routed,
)
from tests.builders.story import only

_POPS = ChooseMode(TopicName("orders"), pops=True)


def test_settings_hold_whose_commands_are_gone() -> None:
    """A command is kept for months, the group's summary for ever."""
    story = at_work()
    own = Overrides(flap_limit=7, assignment_interval_ms=Millis(3_000))
    for command in (ChooseStrategy("AVG_BY_CIRCLE"), ChoosePolicy(own), Pause(None)):
        story.reads(commanded(command))
    rules = replace(story.state.rules, obeyed=())
    story.forgets(kept=len(story.log))

    assert rules == story.state.rules
    assert {*"ab"} == {*story.state.membership.members}


def test_all_clients_share_a_topic_whose_command_is_gone() -> None:
    """Whoever owns a queue and whoever shares it would read the same messages."""
    story = a_story()
    story.reads(registered("a", "orders"), registered("b", "orders"), routed("orders", 4))
    story.reads(commanded(ChooseMode(TopicName("orders"), pops=True)))
    story.waits(seconds=30)
    kept = len(story.log)
    story.reads(registered("a", "orders"), registered("b", "orders"))
    story.waits(seconds=1)
    story.reads(registered("c", "orders"))
    story.waits(seconds=5)
    story.forgets(kept=kept)
    story.reads(registered("d", "orders"))
    story.waits(seconds=5)

    assert dict.fromkeys("abcd", (4, 0)) == {
        name: (len(story.told(name).shared), len(story.told(name).hold))
        for name in story.state.membership.members
    }


def test_a_groups_own_strategy_is_the_one_that_is_asked() -> None:
    """Or queues would move to where the controller's has them, and back later."""
    story = at_work()
    story.reads(commanded(ChooseStrategy("AVG_BY_CIRCLE")))
    story.settles()
    pages, asked, general = story.pages(), list[AllocationRequest](), story.allocator

    def noting(request: AllocationRequest) -> AllocationPlan:
        asked.append(request)
        return general(request)

    story.allocator = noting
    story.forgets(kept=len(story.log))

    assert ("AVG_BY_CIRCLE", []) == (story.state.rules.strategy, asked)
    assert pages == story.pages()


def test_a_pause_that_was_published_refuses_nothing_that_came_before_it() -> None:
    """The past is replayed first: a topic is shared by as many as before."""
    story = at_work()
    story.reads(commanded(ChooseMode(TopicName("orders"), pops=True, share_number=7)))
    story.reads(commanded(Pause(None)))
    story.forgets()

    assert story.state.rules.paused
    assert {"orders": 7} == story.state.rules.popped


def test_of_settings_the_last_that_was_published_is_in_force() -> None:
    """Its command was given under an epoch, so it is refused when the past is replayed."""
    story = at_work()
    story.reads(commanded(ChooseStrategy("AVG")))
    story.settles()
    later = commanded(ChooseStrategy("AVG_BY_CIRCLE"), base=story.state.epoch)
    story.reads(later)
    story.settles()
    story.forgets()

    assert "AVG_BY_CIRCLE" == story.state.rules.strategy


@pytest.mark.parametrize(
    ("command", "undone"),
    [
        pytest.param(Pause(None), Resume(), id="a pause"),
        pytest.param(ChooseStrategy("AVG"), ChooseStrategy(None), id="a strategy"),
        pytest.param(
            ChoosePolicy(Overrides(flap_limit=7)), ChoosePolicy(Overrides()), id="a policy"
        ),
        pytest.param(_POPS, ChooseMode(TopicName("orders"), pops=False), id="a shared topic"),
    ],
)
def test_what_was_undone_stays_undone(command: Command, undone: Command) -> None:
    """That was commanded under an epoch, so it is refused when the past is replayed."""
    story = a_story()
    story.reads(registered("a", "orders"), routed("orders", 4))
    story.reads(commanded(command, name="command"))
    story.waits(seconds=5)
    story.reads(commanded(undone, base=story.state.epoch, name="undone"))
    story.waits(seconds=5)
    assert Outcome.DONE is only(CommandAnswered, story.decisions)[-1].outcome
    story.forgets()

    assert story.state.rules.are_the_policys
    assert 4 == len(story.told("a").hold)


def test_a_policy_that_was_refused_is_refused() -> None:
    """It would fit by now."""
    story = at_work()
    longest = Millis(story.policy.session_timeout_ms_max + 1)
    own = Overrides(session_timeout_ms=longest)
    story.reads(commanded(ChoosePolicy(own)))
    assert Outcome.REFUSED is only(CommandAnswered, story.decisions)[-1].outcome
    story.waits(seconds=1)
    story.reads(joined("c"))
    story.policy = replace(story.policy, session_timeout_ms_max=longest)
    story.forgets()

    assert story.state.rules.are_the_policys


def test_a_topic_that_was_not_to_be_shared_is_not_shared() -> None:
    """Its strategy failed just then, which nobody knows by now."""
    story = a_story()
    story.reads(registered("a", "orders"), routed("orders", 4))
    works = story.allocator

    def fails(request: AllocationRequest) -> AllocationPlan:
        raise ValueError(request)

    story.allocator = fails
    story.reads(registered("b", "orders"))
    story.waits(seconds=5)
    story.reads(commanded(_POPS), commanded(RebalanceNow(), name="rebalance"))
    assert Outcome.REFUSED is only(CommandAnswered, story.decisions)[-2].outcome
    story.allocator = works
    story.reads(registered("c", "orders"))
    story.waits(seconds=5)
    pages = story.pages()
    story.forgets()

    assert (pages, {}) == (story.pages(), story.state.rules.popped)


def test_a_shared_topic_that_nobody_subscribed_is_shared_later() -> None:
    """No summary says so; its command does, as long as that is kept."""
    story = at_work()
    story.reads(commanded(ChooseMode(TopicName("mail"), pops=True, share_number=7)))
    story.forgets()

    assert {"mail": 7} == story.state.rules.popped


def test_settings_hold_of_a_group_without_members() -> None:
    """Nothing else is left of it; it is not as a name that was never used."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 1))
    story.reads(commanded(ChooseStrategy("AVG_BY_CIRCLE")))
    story.reads(left("a"))
    story.waits(seconds=5)
    story.forgets(kept=len(story.log))

    assert "AVG_BY_CIRCLE" == story.state.rules.strategy
    story.waits(seconds=2 * story.policy.keep_empty_ms // 1_000)
    assert "AVG_BY_CIRCLE" == story.state.rules.strategy


def test_a_later_command_wins_over_what_was_published() -> None:
    """One that nobody had read."""
    story = at_work()
    story.reads(commanded(ChooseStrategy("AVG_BY_CIRCLE")), commanded(Pause(None)))
    kept = len(story.log)
    story.wall += 1
    story.missed(commanded(ChooseStrategy("AVG")), commanded(Resume()))
    story.forgets(kept=kept)

    assert ("AVG", False) == (story.state.rules.strategy, story.state.rules.paused)


def test_a_published_pause_ends_when_people_were_told() -> None:
    """At a clock that has just begun, and without its command."""
    story = at_work()
    story.reads(commanded(Pause(Millis(story.wall + 60_000))))
    story.forgets(kept=len(story.log), still=True)

    for _ in range(11):
        assert story.state.rules.paused
        story.waits(seconds=5)
        story.reads(*beats(story, "a", "b"))
    story.waits(seconds=6)
    assert not story.state.rules.paused
    assert 1 == len(only(PauseEnded, story.decisions))
