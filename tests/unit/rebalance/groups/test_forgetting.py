"""An empty group is forgotten by command: only its epoch stays.

Whoever may still work in it is waited for.
"""

import pytest

from rebalance.groups.model.commands import ChooseStrategy, Forget, Pause
from rebalance.groups.model.decisions import CommandAnswered
from rebalance.groups.model.overview import GroupPhase, GroupSummarised
from tests.builders.records import commanded, joined, left, released, routed
from tests.builders.story import Story, only, two_members


def test_a_group_is_forgotten_once() -> None:
    """The second time there is no such group; its epoch does not grow for it."""
    story = two_members()
    story.reads(left("a"), left("b"))
    story.reads(commanded(Forget(), name="c1"))
    epoch = story.state.epoch
    decided = story.reads(commanded(Forget(), name="c1"), commanded(Forget(), name="c2"))

    assert [("c2", "refused")] == [(it.id, it.outcome) for it in only(CommandAnswered, decided)]
    assert epoch == story.state.epoch


@pytest.mark.parametrize("cut", [False, True])
def test_who_joins_a_group_that_was_just_forgotten_finds_a_new_one(*, cut: bool) -> None:
    """In the same batch or in the next: the command was obeyed, and nothing is left (I7)."""
    story = two_members()
    story.reads(commanded(ChooseStrategy("AVG")), commanded(Pause()), left("a"), left("b"))
    if cut:
        story.reads(commanded(Forget()))
        story.reads(joined("c"))
    else:
        story.reads(commanded(Forget()), joined("c"))

    assert ["done"] * 3 == [it.outcome for it in only(CommandAnswered, story.decisions)]
    state = story.state
    assert ({"c"}, {}, {}, {}, None, False) == (
        set(state.membership.members),
        dict(state.topics.routes),
        dict(state.handover.books),
        dict(state.membership.flaps),
        state.rules.strategy,
        state.rules.paused,
    )
    assert "c" in story.records
    assert isinstance(story.decisions[-1], GroupSummarised)


def test_a_forgotten_group_keeps_its_epoch_and_nothing_else() -> None:
    """Epochs do not go back, should it ever return (I4)."""
    story = two_members()
    story.reads(left("a"), left("b"))
    epoch = story.state.epoch
    (said,) = only(GroupSummarised, story.reads(commanded(Forget())))

    assert (epoch + 1, GroupPhase.EMPTY, ()) == (said.epoch, said.phase, said.topics)
    assert (epoch + 1, {}, {}) == (
        story.state.epoch,
        story.state.topics.routes,
        story.state.membership.flaps,
    )


def test_a_group_that_a_stranger_works_in_is_not_forgotten() -> None:
    """It was named by a release; it has no member, and two would work on the queue (A18)."""
    story = Story()
    story.reads(joined("a"), routed("orders", 1))
    story.reads(released("a", "orders-0@1>2=x"), left("a"))
    assert {"orders-0": "x@2"} == {it: page[:3] for it, page in story.pages().items()}

    (answer,) = only(CommandAnswered, story.reads(commanded(Forget())))

    assert ("refused", "a member that is not known may still work on its queues") == (
        answer.outcome,
        answer.detail,
    )
