"""Marks: who has not shown that it reads the releases is promised nothing."""

import pytest

from rebalance.groups.members import marks
from rebalance.groups.model.decisions import AssignmentIssued, Rebalanced
from rebalance.groups.model.events import Released
from rebalance.groups.model.overview import GroupPhase
from rebalance.ids import MemberId
from tests.builders.group import GroupBuilder, a_group
from tests.builders.notation import life, namings
from tests.builders.records import MemberRecord, at, beat_of, drained, joined, left, marked, routed
from tests.builders.story import Story, only

WAITING = {"orders-0": "a@1", "orders-1": "a@1"}
SHARED = "a@1!{0} > b@{0}"


def joining() -> Story:
    """Begin with a, who has two queues; b has joined as well, and its mark was not read yet."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b", marks=True))
    assert (WAITING, GroupPhase.RECONCILING) == (story.pages(), story.phase())
    return story


def test_nobody_is_told_to_let_go_for_whoever_has_not_marked() -> None:
    """The holder works on until the heir may be promised the queue."""
    story = joining()
    story.waits(seconds=2)
    assert WAITING == story.pages()

    story.reads(marked("b"))
    assert {"orders-0": "a@1", "orders-1": SHARED.format(3)} == story.pages()
    story.settles()
    assert GroupPhase.STABLE == story.phase()


def test_a_mark_counts_in_the_batch_of_its_join() -> None:
    """Most are read together."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b", marks=True), marked("b"))

    assert SHARED.format(2) == story.pages()["orders-1"]


def test_a_mark_may_come_before_its_join_in_one_batch() -> None:
    """They are written at once, on two topics: no order between them is promised."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(marked("b"), joined("b", marks=True))

    assert SHARED.format(2) == story.pages()["orders-1"]


@pytest.mark.parametrize("whose", ["b:0", "a", "x"])
def test_a_mark_before_a_join_is_that_of_its_life_alone(whose: str) -> None:
    """What another life has written shows nothing of this one."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(marked(whose), joined("b", marks=True))

    assert WAITING == story.pages()


def test_a_mark_in_an_earlier_batch_than_its_join_does_not_count() -> None:
    """It came from nobody that was known; the member writes another once it is answered."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(marked("b"))
    story.reads(joined("b", marks=True))

    assert WAITING == story.pages()


MARKS = {
    # what it is: (whose, the queues that it names, by itself, whether it counts)
    "its own": ("b", "", True, True),
    "its own release of a queue": ("b", "orders-0@1", True, True),
    "a release in its name": ("b", "orders-0@1", False, False),
    "of an older life": ("b:0", "", True, False),
    "of a younger life": ("b:2", "", True, False),
    "of another": ("a", "", True, False),
    "of a stranger": ("x", "", True, False),
}


@pytest.mark.parametrize(("whose", "said", "own", "counts"), MARKS.values(), ids=MARKS)
def test_only_what_a_life_has_written_shows_what_it_reads(
    whose: str, said: str, *, own: bool, counts: bool
) -> None:
    """The controller and a guard may write in its name before it opens the log."""
    draft = joining_alone().drafted()
    marks.note(draft, Released(at(0), life(whose), namings(said), own))

    assert counts != draft.membership.members[MemberId("b")].awaits_mark


def joining_alone() -> GroupBuilder:
    """B waits for its mark, and a does not."""
    return a_group().with_member("a").with_member("b").with_unread_mark("b").at_epoch(5)


def test_what_nobody_holds_needs_no_mark() -> None:
    """There is no release that it could read wrongly."""
    story = Story()
    story.reads(joined("a", marks=True), routed("orders", 1))

    assert {"orders-0": "a@1"} == story.pages()


def test_what_is_over_without_an_heir_needs_no_mark() -> None:
    """The holder is gone, and nobody was promised the queue."""
    story = joining()
    story.reads(left("a"))

    assert {"orders-0": "b@3", "orders-1": "b@3"} == story.pages()


def test_a_holder_that_drains_waits_for_the_mark() -> None:
    """It works on, and hands over as soon as somebody may be promised its queues."""
    story = joining()
    story.reads(drained("a"))
    assert WAITING == story.pages()

    story.reads(marked("b"))
    assert {"orders-0": SHARED.format(4), "orders-1": SHARED.format(4)} == story.pages()


def test_one_that_marks_does_not_wait_for_another() -> None:
    """Each queue is told as soon as its own member may be promised it."""
    story = Story()
    story.reads(joined("a"), routed("orders", 3))
    story.reads(joined("b", marks=True), joined("c", marks=True))
    story.reads(marked("c"))

    assert {"orders-0": "a@1", "orders-1": "a@1", "orders-2": "a@1!3 > c@3"} == story.pages()
    assert GroupPhase.RECONCILING == story.phase()


@pytest.mark.parametrize(
    ("again", "waits"),
    [(joined("b", sequence=50, marks=True), False), (joined("b:2", marks=True), True)],
    ids=["the same life", "another life"],
)
def test_each_life_marks_once(again: MemberRecord, *, waits: bool) -> None:
    """A join that is repeated takes nothing back; a new life reads the log from elsewhere."""
    story = joining()
    story.reads(marked("b"))
    story.reads(again)

    assert waits == story.state.membership.members[MemberId("b")].awaits_mark


def test_nobody_waits_for_a_mark_that_was_not_announced() -> None:
    """Who writes marks says so when it joins."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))

    assert SHARED.format(2) == story.pages()["orders-1"]


def test_who_beats_on_without_a_mark_is_asked_to_join_and_mark_again() -> None:
    """Kafka has lost the mark after its member had read it back (F8): it writes it again."""
    story = joining()
    assert [False] == asked(story)
    story.reads(beat_of("b", epoch=0))
    assert [] == asked(story)

    story.reads(beat_of("b", epoch=2))
    assert [True] == asked(story)
    story.reads(beat_of("b", epoch=3))
    assert [] == asked(story)  # once: it repeats that by itself

    story.reads(joined("b", marks=True), marked("b"))
    assert [False] == asked(story)
    assert {"orders-0": "a@1", "orders-1": SHARED.format(4)} == story.pages()


def asked(story: Story) -> list[bool]:
    """Whether b was asked for its join, if it was told anything."""
    return [it.join_again for it in only(AssignmentIssued, story.decided) if it.member == "b"]


def test_a_mark_that_never_comes_is_no_reason_to_deal_anew() -> None:
    """A member without the right to write it is asked again and again, and says the same (F14)."""
    story = joining()
    story.waits(seconds=2)
    target, begun = story.state.target.epoch, len(story.decisions)
    for _ in range(5):
        story.wall += 1_000
        story.reads(beat_of("a", epoch=9, owned="orders-0@1 orders-1@1"), beat_of("b", epoch=9))
        story.reads(joined("b", marks=True))

    assert target == story.state.target.epoch
    assert [] == only(Rebalanced, story.decisions[begun:])
