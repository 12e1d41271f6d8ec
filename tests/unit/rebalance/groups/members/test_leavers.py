"""Members that want to go, and that an operator wants to go as well."""

import pytest

from rebalance.groups.model.commands import Command, DrainMember, UndrainMember
from rebalance.groups.model.decisions import CommandAnswered
from rebalance.ids import MemberId
from tests.builders.records import Record, commanded, drained, joined
from tests.builders.story import Story, only, two_members

B = MemberId("b")
DRAIN = commanded(DrainMember(B))
ASKS = drained("b", sequence=5)


def details(story: Story, command: Command) -> list[str]:
    """Return what is said of a command that is done."""
    return [it.detail for it in only(CommandAnswered, story.reads(commanded(command)))]


@pytest.mark.parametrize(
    "before",
    [[ASKS, DRAIN], [DRAIN, ASKS], [ASKS, DRAIN, DRAIN], [ASKS, DRAIN, joined("b", sequence=5)]],
    ids=["first itself", "first by command", "twice by command", "and repeats its join"],
)
def test_an_operator_takes_back_what_operators_want(before: list[Record]) -> None:
    """And not what the member has asked for: it is about to stop, so others have its queues."""
    story = two_members()
    for record in before:
        story.reads(record)
    assert ["it keeps draining, because it asked to leave"] == details(story, UndrainMember(B))
    member = story.state.membership.members[B]

    assert (True, False, False) == (member.draining, member.dismissed, member.leaves)


@pytest.mark.parametrize(
    "before",
    [[DRAIN], [ASKS, DRAIN, joined("b", sequence=6)], [DRAIN, drained("b", sequence=-1)]],
    ids=["by command alone", "it has joined again", "an old record"],
)
def test_what_a_member_has_not_asked_for_is_taken_back_whole(before: list[Record]) -> None:
    """Nor what it has taken back by a new join."""
    story = two_members()
    for record in before:
        story.reads(record)
    assert [""] == details(story, UndrainMember(B))

    assert not story.state.membership.members[B].draining
