"""The baton: every next page of the books, and every release that counts or does not."""

import pytest

from rebalance.errors import BrokenInvariant
from rebalance.groups.handover import baton
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.ownership import Asked
from rebalance.ids import Epoch, MemberId, Millis, TopicName
from tests.builders.group import GroupBuilder, a_group
from tests.builders.notation import TOLD_AT, grant, life, page, page_text, queue
from tests.builders.records import at, beaten, released

NOW = Asked(Epoch(9), TOLD_AT)

PAGES = {
    # what is: (page, for whom the target means the queue, next page)
    "free, wanted by nobody": ("", None, ""),
    "free, wanted": ("", "a", "a@9"),
    "held by the one who is wanted": ("a@1", "a", "a@1"),
    "held, wanted by nobody": ("a@1", None, "a@1!9"),
    "held, wanted by another": ("a@1", "b", "a@1!9 > b@9"),
    "asked, wanted by nobody": ("a@1!2", None, "a@1!2"),
    "asked, wanted by another": ("a@1!2", "b", "a@1!2 > b@9"),
    "asked, the target returns to the holder": ("a@1!2", "a", "a@1!2"),
    "on its way": ("a@1!2 > b@2", "b", "a@1!2 > b@2"),
    "on its way, wanted by a third": ("a@1!2 > b@2", "c", "a@1!2 > b@2!9"),
    "on its way, wanted by nobody": ("a@1!2 > b@2", None, "a@1!2 > b@2!9"),
    "on its way, the target returns to the holder": ("a@1!2 > b@2", "a", "a@1!2 > b@2!9"),
    "heir cancelled, wanted by a third": ("a@1!2 > b@2!3", "c", "a@1!2 > b@2!3"),
    "heir cancelled, wanted again": ("a@1!2 > b@2!3", "b", "a@1!2 > b@2!3"),
    "heir cancelled, wanted by the holder": ("a@1!2 > b@2!3", "a", "a@1!2 > b@2!3"),
    "heir cancelled, wanted by nobody": ("a@1!2 > b@2!3", None, "a@1!2 > b@2!3"),
}


@pytest.mark.parametrize(("before", "wanted", "expected"), PAGES.values(), ids=PAGES.keys())
def test_next_page(before: str, wanted: str | None, expected: str) -> None:
    """The whole protocol: what is said of a queue next. Asked again, nothing changes (I14)."""
    promise = None if wanted is None else grant(f"{wanted}@9")
    following = baton.next_page(page(before), promise, NOW)

    assert expected == page_text(following)
    assert following == baton.next_page(following, promise, NOW)


# -- what a release does

BOOKS = (
    a_group().with_route("orders", 2).with_member("a").with_member("b").with_member("c").at_epoch(5)
)


def after_release(group: GroupBuilder, who: str, grants: str) -> Draft:
    """Book one release."""
    draft = group.drafted()
    baton.book(draft, released(who, grants)(at(700)))
    return draft


def first_page(draft: Draft) -> str:
    """Write the page of the only queue."""
    return page_text(draft.ownership.get(queue("orders-0")))


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
    assert {} == after_release(BOOKS, "a", "orders-7@1").ownership.drawn


def test_release_of_several_queues_is_booked_one_by_one() -> None:
    """Those that match count, whatever the others are."""
    group = BOOKS.with_page("orders-0", "a@1!2 > b@2").with_page("orders-1", "b@2")
    draft = after_release(group, "a", "orders-0@1 orders-1@1")

    assert "b@2" == first_page(draft)
    assert [queue("orders-0")] == list(draft.ownership.drawn)


def test_handed_over_queue_is_told_with_its_duration() -> None:
    """From telling the holder to hearing its release, for each pair of members."""
    draft = after_release(BOOKS.with_page("orders-0", "a@1!2 > b@2"), "a", "orders-0@1")
    passage = draft.passages[MemberId("a"), MemberId("b"), Ending.RELEASED, None]

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
    "unchanged since its last beat": ("a@1!2 > b@2", "a", 2, None, "a@1!2 > b@2"),
    "owns it under another epoch": ("a@1!2 > b@2", "a", 2, "orders-0@7", "b@2"),
    "of an older life": ("a:2@1!2 > b@2", "a", 2, "", "a:2@1!2 > b@2"),
    "was not told to give": ("a@1", "a", 9, "", "a@1"),
    "an heir that waits": ("a@1!2 > b@2", "b", 2, "", "a@1!2 > b@2"),
}


@pytest.mark.parametrize(
    ("before", "who", "epoch", "owned", "expected"), REPAIRS.values(), ids=REPAIRS
)
def test_beat_proves_a_release_that_was_lost(
    before: str, who: str, epoch: int, owned: str | None, expected: str
) -> None:
    """Who acted on "give" and no longer lists the queue has let it go, whatever was lost."""
    draft = BOOKS.with_page("orders-0", before).drafted()
    baton.repair(draft, beaten(who, epoch=epoch, owned=owned)(at(0)))

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
    draft.fenced = {life(each): Ending.FENCED for each in lives}
    baton.fence(draft, at(0))

    assert expected == first_page(draft)
    assert {} == draft.fenced


def test_life_that_ended_earlier_in_the_log_is_fenced_before_a_release_is_booked() -> None:
    """The log's order decides: a release read after its member's end comes too late."""
    draft = BOOKS.with_page("orders-0", "a@1!2 > b@2").drafted()
    draft.fenced = {life("a"): Ending.FENCED}
    baton.book(draft, released("a", "orders-0@1")(at(0)))

    assert {("a", "b", Ending.FENCED, None)} == set(draft.passages)


# -- settling

HOLDER_GONE = BOOKS.with_target("orders-0", "b").with_page("orders-0", "a@1")


def settled(draft: Draft) -> str:
    """Settle the only queue."""
    draft.aimed = [queue("orders-0")]
    baton.settle(draft, at(0))
    return first_page(draft)


def test_time_to_let_go_counts_from_the_record_that_was_read_last() -> None:
    """That record may be ahead of the beats read so far; the member gets the difference."""
    draft = BOOKS.with_target("orders-0", "b").with_page("orders-0", "a@1").drafted()
    draft.aimed = [queue("orders-0")]
    baton.settle(draft, at(1_000, heard=4_000))

    assert Asked(Epoch(6), Millis(4_000)) == draft.ownership[queue("orders-0")].holder.asked


def test_crash_without_an_heir_is_a_handover_too() -> None:
    """History tells of every queue that went from one member to another, prepared or not."""
    draft = HOLDER_GONE.drafted()
    draft.fenced = {life("a"): Ending.FENCED}
    baton.fence(draft, at(0))

    assert "b@6" == settled(draft)
    assert {("a", "b", Ending.FENCED, None)} == set(draft.passages)


def test_member_that_takes_its_own_queue_up_again_hands_nothing_over() -> None:
    """A restart, or a release that nobody asked for, concerns one member only."""
    draft = BOOKS.with_target("orders-0", "a").with_page("orders-0", "a@1").drafted()
    baton.book(draft, released("a", "orders-0@1")(at(0)))

    assert "a@6" == settled(draft)
    assert {} == draft.passages


def test_target_that_is_no_member_any_more_gets_nothing() -> None:
    """A promise is made to a living member only; until there is one, the holder works on."""
    draft = BOOKS.with_target("orders-0", "x").with_page("orders-0", "a@1").drafted()

    assert "a@1" == settled(draft)
    assert [queue("orders-0")] == draft.loose


def test_what_is_on_no_map_any_more_is_promised_to_nobody() -> None:
    """The topic is gone, and the target that says so has to wait."""
    draft = BOOKS.with_target("orders-0", "a").with_page("orders-0", "a@1!5").drafted()
    draft.routes.remove(TopicName("orders"))
    baton.book(draft, released("a", "orders-0@1")(at(0)))

    draft.aimed = [queue("orders-0")]
    baton.settle(draft, at(0))
    assert draft.ownership.get(queue("orders-0")) is None


def test_settled_queue_is_not_touched() -> None:
    """Nothing is drawn where nothing changes, so that nothing is published."""
    draft = BOOKS.with_target("orders-0", "a").with_page("orders-0", "a@1").drafted()
    settled(draft)

    assert {} == draft.ownership.drawn


@pytest.mark.parametrize(
    ("before", "wanted", "complaint"),
    [("a:0@1", "a", "a would be its own heir"), ("b@7", "a", "epoch 6 does not follow 7")],
)
def test_contradiction_in_the_books_stops_the_group(
    before: str, wanted: str, complaint: str
) -> None:
    """Nothing is published from books that contradict themselves."""
    draft = BOOKS.with_target("orders-0", wanted).with_page("orders-0", before).drafted()

    with pytest.raises(BrokenInvariant, match=complaint):
        settled(draft)
