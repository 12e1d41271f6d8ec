"""Dropped promises: a promise ends once its queue's holder shows that it will not keep it."""

import pytest

from rebalance.groups.handover import endings
from rebalance.groups.members import membership
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen
from rebalance.groups.model.policy import Policy
from tests.builders.amnesia import Remembered, a_story
from tests.builders.group import a_group
from tests.builders.notation import page_text, queue
from tests.builders.records import at, beat_of, drained, joined, released, routed

BOOKS = a_group().with_route("orders", 1).with_member("a").with_member("b").with_member("c")

DROPPED = {
    # what is: (page, who beats, what it owns, next page)
    "another is named now": ("a@1 > c@3 / b@2", "a", "orders-0@1", "a@1 > c@3"),
    "nobody is named now": ("a@1 / b@2", "a", "orders-0@1", "a@1"),
    "all others of many": ("a@1 > c@3 / b@2 / d@4", "a", "orders-0@1", "a@1 > c@3"),
    "nothing is to be forgotten": ("a@1 > b@2", "a", "orders-0@1", "a@1 > b@2"),
    "on its way": ("a@1!3 > c@3 / b@2", "a", "orders-0@1", "a@1!3 > c@3 / b@2"),
    "not listed": ("a@1 / b@2", "a", "", "a@1 / b@2"),
    "under another epoch": ("a@3 / b@4", "a", "orders-0@1", "a@3 / b@4"),
    "of an older life": ("a@1 / b@2", "a:0", "orders-0@1", "a@1 / b@2"),
    "claimed by the heir": ("a@1 / b@2", "b", "orders-0@1", "a@1 / b@2"),
}


def heard(draft: Draft, beat: BeatSeen) -> str:
    """Hear a full beat; write the page of the only queue."""
    assert beat.owned is not None
    membership.beat(draft, beat)
    endings.repair(draft, beat, beat.owned)
    return page_text(draft.handover.books.get(queue("orders-0")))


@pytest.mark.parametrize(("before", "who", "owned", "after"), DROPPED.values(), ids=DROPPED)
def test_a_full_beat_ends_the_promises_that_its_holder_will_not_keep(
    before: str, who: str, owned: str, after: str
) -> None:
    """It has read its last record, and still has the queue: so it names whom that record says."""
    draft = BOOKS.with_page("orders-0", before).at_epoch(5).drafted()

    assert after == heard(draft, beat_of(who, epoch=5, owned=owned, sequence=1)(at(0)))


def test_a_beat_that_was_overtaken_ends_none() -> None:
    """It shows what the member had read then."""
    draft = BOOKS.with_page("orders-0", "a@1 / b@2").at_epoch(5).drafted()
    membership.beat(draft, beat_of("a", epoch=5, sequence=2)(at(0)))
    late = beat_of("a", epoch=4, owned="orders-0@1", sequence=1)(at(0))

    assert "a@1 / b@2" == heard(draft, late)


def changed_mind() -> Remembered:
    """Begin with an heir that gave way to another: b, who wants to go, to c."""
    story = a_story(Policy(standing_heirs=True))
    story.reads(joined("a"), routed("orders", 1))
    story.reads(joined("b"))
    story.reads(joined("c"), drained("b"))
    assert {"orders-0": "a@1 > c@3 / b@2"} == story.pages()
    return story


@pytest.mark.parametrize(
    ("epoch", "page"), [(2, "a@1 > c@3 / b@2"), (3, "a@1 > c@3")], ids=["not yet", "read"]
)
def test_it_ends_when_the_holder_has_read_its_last_record(epoch: int, page: str) -> None:
    """Before, it may go at any moment and name the former heir."""
    story = changed_mind()
    story.reads(beat_of("a", epoch=epoch, owned="orders-0@1"))

    assert {"orders-0": page} == story.pages()


def test_a_beat_without_a_list_ends_none() -> None:
    """Whether its member still had the queue then is not known: it may have let go."""
    story = changed_mind()
    story.reads(beat_of("a", epoch=3))

    assert {"orders-0": "a@1 > c@3 / b@2"} == story.pages()


def test_whoever_joins_again_has_read_what_its_beat_says() -> None:
    """It is answered with the same record, and no other full beat may follow."""
    story = changed_mind()
    story.reads(joined("a", sequence=50), beat_of("a", epoch=3, owned="orders-0@1"))

    assert {"orders-0": "a@1 > c@3"} == story.pages()


def test_a_start_does_not_forget_who_has_not_read_its_record() -> None:
    """A full beat of before may be the first thing that is read; then its holder named b."""
    story = changed_mind()
    story.away(seconds=2)
    story.starts(beat_of("a", epoch=2, owned="orders-0@1"))
    assert {"orders-0": "a@1 > c@3 / b@2"} == story.pages()

    story.reads(released("a", "orders-0@1>2"))
    assert "b@2" == story.pages()["orders-0"].partition("!")[0]


def test_a_former_heir_that_is_named_all_the_same_has_the_queue() -> None:
    """That was the first release, so it counts; nothing was dropped too early."""
    story = changed_mind()
    story.reads(released("a", "orders-0@1>2"), beat_of("a", epoch=3, owned=""))

    assert "b@2" == story.pages()["orders-0"].partition("!")[0]


def test_the_former_heir_is_told_when_its_promise_is_dropped() -> None:
    """It need not wait for that release any more."""
    story = changed_mind()
    assert 1 == len(story.told("b").inherit)
    story.reads(beat_of("a", epoch=3, owned="orders-0@1"))

    assert () == story.told("b").inherit
    assert [3] == [it.epoch for it in story.told("c").inherit]
