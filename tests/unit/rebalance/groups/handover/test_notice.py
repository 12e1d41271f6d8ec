"""Nobody's time to let go begins before it could have been told."""

from dataclasses import replace

from rebalance.groups import timers
from rebalance.groups.handover import notice
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.policy import Policy
from rebalance.ids import Epoch
from tests.builders.group import a_group
from tests.builders.records import at, joined, routed
from tests.builders.story import Story

ASKED = a_group().with_member("a", seen=1_000_000, revocation_ms=50_000)


def test_the_time_begins_with_the_first_batch_after_the_telling() -> None:
    """The controller died before it had published, and came back a minute later."""
    state = ASKED.with_page("orders-0", "a@1!2").state
    dated = timers.earliest(Draft(state, Policy()))
    posted = replace(state.handover, posted={Epoch(2): None})
    draft = Draft(replace(state, handover=posted), Policy())
    notice.arrive(draft, at(60_000))
    notice.arrive(draft, at(70_000))

    assert dated is not None
    assert dated + 60_000 == timers.earliest(draft)


def test_a_notice_is_kept_as_long_as_somebody_has_to_let_go() -> None:
    """And shown to be out by the next batch, whatever is in it."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    assert {} == story.state.handover.posted

    story.reads(joined("b"))
    assert {2: None} == story.state.handover.posted

    story.waits(seconds=2)
    assert {2: 1_000} == story.state.handover.posted

    story.obeys("a")
    assert {} == story.state.handover.posted
