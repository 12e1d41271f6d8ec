"""What a group keeps when nobody is in it, and for how long."""

from dataclasses import replace

import pytest

from rebalance.groups.members.departures import REMEMBERED_MS
from rebalance.groups.model.commands import (
    ChoosePolicy,
    ChooseStrategy,
    Command,
    Forget,
    Pause,
    Resume,
)
from rebalance.groups.model.decisions import AssignmentIssued, CommandAnswered
from rebalance.groups.model.handover import Handover
from rebalance.groups.model.membership import Membership
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.model.topics import Topics
from rebalance.ids import Millis
from tests.builders.records import beat_of, commanded, joined, left, routed
from tests.builders.story import Story, only, two_members

KEPT_MS = 600_000
KEPT_S = KEPT_MS // 1_000
POLICY = Policy(keep_empty_ms=Millis(KEPT_MS))


def an_empty_group(policy: Policy = POLICY) -> Story:
    """Begin with a group that everybody has left just now."""
    story = two_members(queues=4, policy=policy)
    story.reads(left("a"), left("b"))
    return story


def unknown(story: Story) -> GroupState:
    """What is left in the end."""
    return GroupState.unknown(story.state.name, story.state.epoch)


def test_whoever_is_back_soon_finds_everything() -> None:
    """The queues are known, so a group that was restarted works at once."""
    story = an_empty_group()
    story.waits(seconds=KEPT_S - 1)
    story.reads(joined("c"))

    assert 4 == len(story.told("c").hold)


def test_in_the_end_only_the_epoch_is_left() -> None:
    """Nothing is said of that: what was published last says it already."""
    story = an_empty_group()
    epoch = story.state.epoch

    assert [] == story.waits(seconds=KEPT_S)
    assert unknown(story) == story.state
    assert epoch == story.state.epoch


def test_epochs_go_on_above_it() -> None:
    """The group is a new one but for that."""
    story = an_empty_group()
    story.waits(seconds=KEPT_S)
    epoch = story.state.epoch
    story.reads(joined("c"), routed("orders", 4))

    assert [epoch + 1] == [it.epoch for it in only(AssignmentIssued, story.decided)]
    assert {epoch + 1} == {naming.epoch for naming in story.told("c").hold}


@pytest.mark.parametrize(
    "command",
    [
        Pause(None),
        ChooseStrategy("AVG"),
        ChoosePolicy(Overrides(flap_limit=9)),
    ],
    ids=lambda command: command.verb,
)
def test_what_an_operator_commanded_stands(command: Command) -> None:
    """Queues, departures and flaps go; the command holds for the next members."""
    story = two_members(queues=4, policy=POLICY)
    story.reads(commanded(command), left("a"), left("b"))
    story.waits(seconds=KEPT_S)
    state = story.state
    before = replace(
        state,
        membership=Membership(),
        topics=Topics(),
        target=replace(state.target, owners={}),
        handover=Handover(),
        rules=replace(state.rules, obeyed=()),
    )

    assert not state.is_unknown
    assert before == state
    assert state.deadline is None


def test_an_order_that_is_taken_back_keeps_nothing() -> None:
    """An hour after it the group is as any other."""
    story = two_members(queues=4, policy=POLICY)
    story.reads(commanded(Pause(None)), left("a"), left("b"))
    story.waits(seconds=KEPT_S)
    story.reads(commanded(Resume(), name="c2"))
    assert not story.state.is_unknown

    story.waits(seconds=KEPT_S)
    assert unknown(story) == story.state


def test_a_pause_that_ends_by_itself_keeps_nothing() -> None:
    """Nor does it need anybody to come."""
    story = two_members(queues=4, policy=POLICY)
    until = Millis(story.wall + 2 * KEPT_MS)
    story.reads(commanded(Pause(until)), left("a"), left("b"))
    story.waits(seconds=3 * KEPT_S)

    assert unknown(story) == story.state


def test_a_command_that_arrives_twice_is_one_while_it_is_remembered() -> None:
    """Also that which forgot the group."""
    story = an_empty_group()
    story.reads(commanded(Forget(), name="c9"))
    story.waits(seconds=KEPT_S - 1)
    assert [] == story.reads(commanded(Forget(), name="c9"))

    story.waits(seconds=2)
    assert unknown(story) == story.state


def test_nothing_is_removed_before_it_is_past_its_use() -> None:
    """However short the time is set: an old join must not let in a ghost."""
    story = an_empty_group(Policy(keep_empty_ms=Millis(1)))
    story.waits(seconds=REMEMBERED_MS / 1_000 - 1)
    assert {"a", "b"} == set(story.state.membership.departures)

    story.waits(seconds=1)
    assert unknown(story) == story.state


def test_departures_and_flaps_of_a_group_at_work_go_too() -> None:
    """Nobody else need leave for that; and it is nothing to talk about."""
    story = Story(policy=POLICY)
    story.reads(joined("a"), *(joined(f"m{number}") for number in range(9)))
    story.reads(*(left(f"m{number}") for number in range(9)))
    epoch = story.state.epoch
    assert (9, 9) == (len(story.state.membership.departures), len(story.state.membership.flaps))

    beats = Policy().session_timeout_ms // 2_000
    for second in range(0, REMEMBERED_MS // 1_000 + beats, beats):
        story.waits(seconds=beats)
        story.reads(beat_of("a", epoch=1, sequence=second))

    assert ({}, {}) == (story.state.membership.departures, story.state.membership.flaps)
    assert epoch == story.state.epoch


def test_an_order_to_a_group_that_is_gone_leaves_nothing_behind() -> None:
    """As one to a group that never was."""
    story = an_empty_group()
    story.waits(seconds=KEPT_S)
    (answer,) = only(CommandAnswered, story.reads(commanded(Forget())))

    assert "refused" == answer.outcome
    assert "long without members" in answer.detail
    assert unknown(story) == story.state
