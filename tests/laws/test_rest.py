"""Laws of the short way: a quiet step of a settled group passes by what it need not ask."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebalance.groups import step as steps
from rebalance.groups.conclusion import Step
from rebalance.groups.model.commands import DrainMember, Pause
from rebalance.groups.model.events import Moment
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import Ailment, GroupState
from rebalance.ids import MemberId
from tests.builders.effort import tried
from tests.builders.records import beat_of, commanded, drained, joined, left, routed
from tests.builders.story import Story
from tests.laws.logs import COMMANDED_LOGS, CUTS, LIVES, Entry, Telling, read

POLICY = Policy(heartbeat_auto=True)

BEATS = st.builds(beat_of, LIVES, sequence=st.integers(6, 30), epoch=st.integers(0, 40))
ROUTES = st.builds(routed, st.just("orders"), st.integers(0, 4), version=st.integers(6, 9))
QUIET = st.lists(
    st.tuples(st.sampled_from([0, 500, 1_000, 2_000, 6_000]), BEATS | BEATS | ROUTES), max_size=12
)
"""What a group hears when little happens; each entry is a batch of its own."""


def the_long_way(telling: Telling, before: GroupState, batch: Sequence[Moment]) -> Step:
    """Take a step as if the group were never settled, and nothing were ever out."""
    with (
        patch.object(GroupState, "is_settled", new=False),
        patch.object(GroupState, "is_out", new=False),
    ):
        return telling.step(before, batch)


@pytest.mark.slow
@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS, QUIET)
def test_the_short_way_ends_where_the_long_one_does(
    log: list[Entry], cuts: set[int], quiet: list[Entry]
) -> None:
    """It decides the same, and leaves the same state in the same order."""
    telling, events = Telling(POLICY), read([*log, *quiet], POLICY)
    each = {*cuts, *range(len(log), len(events))}
    for before, batch, outcome in telling.tell(events, each):
        long = the_long_way(telling, before, batch)

        assert long == outcome
        assert list(long.state.membership.members) == list(outcome.state.membership.members)
        assert list(long.state.handover.books) == list(outcome.state.handover.books)


def at_rest() -> Story:
    """Begin with two members that have read their records and have all that is meant for them."""
    story = Story(policy=POLICY)
    story.reads(joined("a"), joined("b"), routed("orders", 2))
    story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1))
    return story


def test_a_beat_that_says_nothing_new_goes_the_short_way() -> None:
    """Neither the strategy nor the baton is asked, nor anything that follows them."""
    story = at_rest()
    assert story.state.is_out
    assert story.state.is_settled

    with patch.object(steps, "_move") as moved, patch.object(steps, "_note_published") as resumed:
        story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1))
        story.ticks()

    assert [] == story.decided
    assert not moved.called
    assert not resumed.called


def unread(story: Story) -> None:
    """A record may not be out yet."""
    story.reads(joined("a"))


def moving(story: Story) -> None:
    """A queue is on its way from a to b."""
    story.reads(drained("a"))
    story.ticks()


def away(story: Story) -> None:
    """What is meant for b waits for it."""
    story.reads(left("b", temporary=True))
    story.ticks()


def behind(story: Story) -> None:
    """The group has changed, and pauses."""
    story.reads(commanded(Pause()))
    story.reads(commanded(DrainMember(MemberId("a"))))
    story.ticks()


def ailing(story: Story) -> None:
    """Its last step has failed; the next has to say that it works again."""
    story.state = replace(story.state, ailment=Ailment("it failed"))


@pytest.mark.parametrize("happens", [unread, moving, ailing])
def test_what_may_not_be_out_is_looked_at(happens: Callable[[Story], None]) -> None:
    """The next step shows that it is, even if no member says anything new."""
    story = at_rest()
    happens(story)

    assert not story.state.is_out


@pytest.mark.parametrize("happens", [away, behind])
def test_a_group_that_waits_is_not_settled(happens: Callable[[Story], None]) -> None:
    """Its next step has to look at its queues, even if no member says anything new."""
    story = at_rest()
    happens(story)

    assert not story.state.is_settled
