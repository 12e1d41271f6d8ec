"""The baton: every next page of the books, and how it comes to be written."""

import pytest

from rebalance.errors import BrokenInvariant
from rebalance.groups.handover import baton, endings
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.ownership import Asked
from rebalance.ids import Epoch, Millis, TopicName
from tests.builders.group import a_group
from tests.builders.notation import TOLD_AT, grant, life, page, page_text, queue
from tests.builders.records import at, released

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
    "on its way, wanted by a third": ("a@1!2 > b@2", "c", "a@1!2 > c@9 / b@2"),
    "on its way, wanted by nobody": ("a@1!2 > b@2", None, "a@1!2 / b@2"),
    "on its way, the target returns to the holder": ("a@1!2 > b@2", "a", "a@1!2 / b@2"),
    "promised before, wanted again": ("a@1!2 > c@3 / b@2", "b", "a@1!2 > b@2 / c@3"),
    "promised before, named by nobody": ("a@1!2 / b@2", "b", "a@1!2 > b@2"),
    "over, wanted by another": ("a@1!2x > b@2", "c", "a@1!2x > c@9 / b@2"),
}


@pytest.mark.parametrize(("before", "wanted", "expected"), PAGES.values(), ids=PAGES.keys())
def test_next_page(before: str, wanted: str | None, expected: str) -> None:
    """The whole protocol: what is said of a queue next. Asked again, nothing changes (I14)."""
    promise = None if wanted is None else grant(f"{wanted}@9")
    following = baton.next_page(page(before), promise, NOW)

    assert expected == page_text(following)
    assert following == baton.next_page(following, promise, NOW)


AT_REST = {
    # what is: (page of a's queue, its standing heir, next page)
    "nobody stands by": ("a@1", None, "a@1"),
    "somebody does": ("a@1", "b", "a@1 > b@9"),
    "as before": ("a@1 > b@2", "b", "a@1 > b@2"),
    "another": ("a@1 > b@2", "c", "a@1 > c@9 / b@2"),
    "another who was promised before": ("a@1 > b@2 / c@3", "c", "a@1 > c@3 / b@2"),
    "nobody any more": ("a@1 > b@2", None, "a@1 / b@2"),
    "a fourth": ("a@1 > b@2 / c@3 / d@4", "e", "a@1 > e@9 / b@2 / c@3 / d@4"),
    "one too many": ("a@1 > b@2 / c@3 / d@4 / e@5", "f", "a@1 / b@2 / c@3 / d@4 / e@5"),
    "one of as many as there may be": (
        "a@1 > b@2 / c@3 / d@4 / e@5",
        "d",
        "a@1 > d@4 / b@2 / c@3 / e@5",
    ),
    "told to let go": ("a@1!2", "b", "a@1!2"),
}


@pytest.mark.parametrize(("before", "heir", "expected"), AT_REST.values(), ids=AT_REST)
def test_a_queue_at_rest_names_its_standing_heir(
    before: str, heir: str | None, expected: str
) -> None:
    """If there is room for one more promise. Asked again, nothing changes (I14)."""
    promise = None if heir is None else grant(f"{heir}@9")
    following = baton.next_page(page(before), grant("a@9"), NOW, promise)

    assert expected == page_text(following)
    assert following == baton.next_page(following, grant("a@9"), NOW, promise)


def test_a_queue_that_moves_goes_to_its_member_and_not_to_a_standing_heir() -> None:
    """However many were promised it."""
    before = page("a@1 > b@2 / c@3 / d@4 / e@5")
    following = baton.next_page(before, grant("f@9"), NOW, grant("b@9"))

    assert "a@1!9 > f@9 / b@2 / c@3 / d@4 / e@5" == page_text(following)


# -- settling

BOOKS = (
    a_group().with_route("orders", 2).with_member("a").with_member("b").with_member("c").at_epoch(5)
)
HOLDER_GONE = BOOKS.with_target("orders-0", "b").with_page("orders-0", "a@1")


def first_page(draft: Draft) -> str:
    """Write the page of the only queue."""
    return page_text(draft.handover.books.get(queue("orders-0")))


def settled(draft: Draft) -> str:
    """Settle the only queue, and close the books."""
    draft.target.aimed = [queue("orders-0")]
    baton.settle(draft, at(0))
    draft.handover.closed(draft.next_epoch)
    return first_page(draft)


def test_time_to_let_go_counts_from_the_record_that_was_read_last() -> None:
    """That record may be ahead of the beats read so far; the member gets the difference."""
    draft = BOOKS.with_target("orders-0", "b").with_page("orders-0", "a@1").drafted()
    draft.target.aimed = [queue("orders-0")]
    baton.settle(draft, at(1_000, heard=4_000))

    assert Asked(Epoch(6), Millis(4_000)) == draft.handover.books[queue("orders-0")].asked


def test_crash_without_an_heir_is_a_handover_too() -> None:
    """History tells of every queue that went from one member to another, prepared or not."""
    draft = HOLDER_GONE.drafted()
    draft.ended = {life("a"): Ending.FENCED}
    endings.take_back(draft, at(0))

    assert "b@6" == settled(draft)
    assert {("a", "b", 6, Ending.FENCED, None)} == set(draft.outbox.passages)


def test_member_that_takes_its_own_queue_up_again_hands_nothing_over() -> None:
    """A restart, or a release that nobody asked for, concerns one member only."""
    draft = BOOKS.with_target("orders-0", "a").with_page("orders-0", "a@1").drafted()
    endings.book(draft, released("a", "orders-0@1")(at(0)))

    assert "a@6" == settled(draft)
    assert {} == draft.outbox.passages


def test_target_that_is_no_member_any_more_gets_nothing() -> None:
    """A promise is made to a living member only; until there is one, the holder works on."""
    draft = BOOKS.with_target("orders-0", "x").with_page("orders-0", "a@1").drafted()

    assert "a@1" == settled(draft)
    assert [queue("orders-0")] == draft.handover.loose


def test_what_is_on_no_map_any_more_is_promised_to_nobody() -> None:
    """The topic is gone, and the target that says so has to wait."""
    draft = BOOKS.with_target("orders-0", "a").with_page("orders-0", "a@1!5").drafted()
    draft.topics.routes.remove(TopicName("orders"))
    endings.book(draft, released("a", "orders-0@1")(at(0)))

    draft.target.aimed = [queue("orders-0")]
    baton.settle(draft, at(0))
    assert draft.handover.books.get(queue("orders-0")) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a@1!3 / b@2", "a@1!3 / b@2"),
        ("a@1!3 / b@4", "a@1!3 > b@4"),
        ("a@1!3 > c@3 / b@2", "a@1!3 > b@2 / c@3"),
    ],
    ids=["promised before", "promised since", "another was named since"],
)
def test_what_was_promised_before_a_holder_was_to_name_nobody_is_void(
    before: str, after: str
) -> None:
    """Its topic may have been made anew: an heir would begin at a position of the old one (D3)."""
    draft = BOOKS.with_target("orders-0", "b").with_page("orders-0", before).drafted()

    assert after == settled(draft)


def test_settled_queue_is_not_touched() -> None:
    """Nothing is drawn where nothing changes, so that nothing is published."""
    draft = BOOKS.with_target("orders-0", "a").with_page("orders-0", "a@1").drafted()
    settled(draft)

    assert {} == draft.handover.books.written


@pytest.mark.parametrize(
    ("before", "wanted", "complaint"),
    [
        ("a@1!2 > a@2", "b", "a life would be its own heir"),
        ("b@7", "a", "epochs do not grow"),
    ],
)
def test_contradiction_in_the_books_stops_the_group(
    before: str, wanted: str, complaint: str
) -> None:
    """Nothing is published from books that contradict themselves."""
    draft = BOOKS.with_target("orders-0", wanted).with_page("orders-0", before).drafted()

    with pytest.raises(BrokenInvariant, match=complaint):
        settled(draft)
