"""Endings: every release that counts or does not, and lives that end."""

import pytest

from rebalance.groups.handover import endings
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.ids import MemberId
from tests.builders.group import GroupBuilder, a_group
from tests.builders.notation import life, page_text, queue
from tests.builders.records import at, beaten, released

BOOKS = (
    a_group().with_route("orders", 2).with_member("a").with_member("b").with_member("c").at_epoch(5)
)


def after_release(group: GroupBuilder, who: str, grants: str) -> Draft:
    """Book one release."""
    draft = group.drafted()
    endings.book(draft, released(who, grants)(at(700)))
    return draft


def first_page(draft: Draft) -> str:
    """Write the page of the only queue."""
    return page_text(draft.handover.books.get(queue("orders-0")))


RELEASES = {
    # what is: (page, who releases, at which epoch, next page)
    "by the holder, with an heir": ("a@1!2 > b@2", "a", 1, "b@2"),
    "by the holder, with a cancelled heir": ("a@1!2 > b@2!3", "a", 1, "b@2!3"),
    "by the holder, without an heir": ("a@1!2", "a", 1, ""),
    "by the holder, unasked": ("a@1", "a", 1, ""),
    "by the heir that was cancelled": ("a@1!2 > b@2!3", "b", 2, "a@1!2"),
    "by the heir, unasked": ("a@1!2 > b@2", "b", 2, "a@1!2"),
    "repeated": ("b@2", "a", 1, "b@2"),
    "of an older epoch": ("a@4!5 > b@5", "a", 1, "a@4!5 > b@5"),
    "of an older life": ("a:2@1!2 > b@2", "a", 1, "a:2@1!2 > b@2"),
    "of a zombie, long after": ("c@5", "a", 1, "c@5"),
    "of a stranger": ("a@1!2 > b@2", "x", 1, "a@1!2 > b@2"),
    "of the heir's epoch by the holder": ("a@1!2 > b@2", "a", 2, "a@1!2 > b@2"),
}


@pytest.mark.parametrize(("before", "who", "epoch", "expected"), RELEASES.values(), ids=RELEASES)
def test_release_counts_for_the_exact_grant(
    before: str, who: str, epoch: int, expected: str
) -> None:
    """Queue, member, incarnation and epoch must match; any other release is of the past."""
    group = BOOKS.with_page("orders-0", before)

    assert expected == first_page(after_release(group, who, f"orders-0@{epoch}"))


def test_release_of_an_unknown_queue_is_ignored() -> None:
    """A claim of what was never granted changes nothing (C9)."""
    assert {} == after_release(BOOKS, "a", "orders-7@1").handover.books.written


def test_release_of_several_queues_is_booked_one_by_one() -> None:
    """Those that match count, whatever the others are."""
    group = BOOKS.with_page("orders-0", "a@1!2 > b@2").with_page("orders-1", "b@2")
    draft = after_release(group, "a", "orders-0@1 orders-1@1")

    assert "b@2" == first_page(draft)
    assert [queue("orders-0")] == list(draft.handover.books.written)


def test_handed_over_queue_is_told_with_its_duration() -> None:
    """From telling the holder to hearing its release, for each pair of members."""
    draft = after_release(BOOKS.with_page("orders-0", "a@1!2 > b@2"), "a", "orders-0@1")
    passage = draft.outbox.passages[MemberId("a"), MemberId("b"), Ending.RELEASED, None]

    assert [queue("orders-0")] == passage.queues
    assert 700 == passage.duration_ms


# -- what a beat proves (C7)

REPAIRS = {
    # what is: (page, beating member, its epoch, what it owns, next page)
    "release lost": ("a@1!2 > b@2", "a", 2, "", "b@2"),
    "release lost, no heir": ("a@1!2", "a", 2, "", ""),
    "cancelled heir that never started": ("a@1!2 > b@2!3", "b", 3, "", "a@1!2"),
    "still working on it": ("a@1!2 > b@2", "a", 2, "orders-0@1", "a@1!2 > b@2"),
    "has not read the record yet": ("a@1!2 > b@2", "a", 1, "", "a@1!2 > b@2"),
    "owns it under another epoch": ("a@1!2 > b@2", "a", 2, "orders-0@7", "b@2"),
    "of an older life": ("a:2@1!2 > b@2", "a", 2, "", "a:2@1!2 > b@2"),
    "was not told to give": ("a@1", "a", 9, "", "a@1"),
    "an heir that waits": ("a@1!2 > b@2", "b", 2, "", "a@1!2 > b@2"),
}


@pytest.mark.parametrize(
    ("before", "who", "epoch", "owned", "expected"), REPAIRS.values(), ids=REPAIRS
)
def test_beat_proves_a_release_that_was_lost(
    before: str, who: str, epoch: int, owned: str, expected: str
) -> None:
    """Who acted on "give" and no longer lists the queue has let it go, whatever was lost."""
    draft = BOOKS.with_page("orders-0", before).drafted()
    beat = beaten(who, epoch=epoch, owned=owned)(at(0))
    assert beat.owned is not None
    endings.repair(draft, beat, beat.owned)

    assert expected == first_page(draft)


# -- lives that ended

ENDED = {
    # what is: (page, lives that ended, next page)
    "holder": ("a@1", ["a"], ""),
    "holder with an heir": ("a@1!2 > b@2", ["a"], "b@2"),
    "holder with a cancelled heir": ("a@1!2 > b@2!3", ["a"], "b@2!3"),
    "heir": ("a@1!2 > b@2", ["b"], "a@1!2"),
    "both": ("a@1!2 > b@2", ["a", "b"], ""),
    "an older life": ("a:2@1", ["a"], "a:2@1"),
    "somebody else": ("a@1", ["c"], "a@1"),
}


@pytest.mark.parametrize(("before", "lives", "expected"), ENDED.values(), ids=ENDED)
def test_ended_life_loses_everything_at_once(before: str, lives: list[str], expected: str) -> None:
    """The heir of a fenced holder is confirmed under the epoch it was promised."""
    draft = BOOKS.with_page("orders-0", before).drafted()
    draft.ended = {life(each): Ending.FENCED for each in lives}
    endings.take_back(draft, at(0))

    assert expected == first_page(draft)
    assert {} == draft.ended


def test_life_that_ended_earlier_in_the_log_is_fenced_before_a_release_is_booked() -> None:
    """The log's order decides: a release read after its member's end comes too late."""
    draft = BOOKS.with_page("orders-0", "a@1!2 > b@2").drafted()
    draft.ended = {life("a"): Ending.FENCED}
    endings.book(draft, released("a", "orders-0@1")(at(0)))

    assert {("a", "b", Ending.FENCED, None)} == set(draft.outbox.passages)
