"""Nobody's time to let go begins before it could have been told."""

from dataclasses import replace
from unittest.mock import patch

from rebalance.groups import timers
from rebalance.groups.handover import notice
from rebalance.groups.model.books import DraftedBooks
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.policy import Policy
from rebalance.ids import Epoch, Millis
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


def test_however_many_are_told_again_the_books_are_looked_through_once() -> None:
    """Very many may have news at a time, and each may stand by for very many queues."""
    group, names = a_group(), "abcdefgh"
    for number, name in enumerate(names):
        heir = names[number - 1]
        group = group.with_member(name).with_page(f"orders-{number}", f"{name}@1!2 > {heir}@2")
    draft = group.at_epoch(2).drafted()
    with (
        patch.object(
            DraftedBooks, "moving", autospec=True, side_effect=DraftedBooks.moving
        ) as moving,
        patch.object(DraftedBooks, "concerning", autospec=True) as concerning,
    ):
        for name, member in list(draft.membership.members.items()):
            notice.tell_again(draft, name, member, Millis(3_000), since=None)

    assert (1, 0) == (moving.call_count, concerning.call_count)
    assert {Epoch(2)} == draft.handover.retold
