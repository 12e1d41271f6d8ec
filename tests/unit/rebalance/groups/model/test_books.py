"""The books: cards that say what the pages say, however they came about."""

from collections.abc import Iterator
from itertools import permutations, product

from hypothesis import given
from hypothesis import strategies as st

from rebalance.groups.model.books import Books, DraftedBooks, concerned
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.ownership import Asked, Grant, Over, Ownership
from rebalance.ids import Epoch, Incarnation, Life, MemberId, Millis, Queue
from tests.builders.group import a_group
from tests.builders.notation import queue

NAMES = [MemberId(name) for name in "abc"]
QUEUES = st.sampled_from([queue(f"orders-{number}") for number in range(6)])


def pages_of(holder: MemberId) -> Iterator[Ownership]:
    """Return every kind of page that a member may hold: asked for, over or neither, each heirs."""
    held, asked = Grant(Life(holder, Incarnation("1")), Epoch(1)), Asked(Epoch(2), Millis(0))
    others = [Life(name, Incarnation("1")) for name in NAMES if name != holder]
    promised = [(), *permutations(others, 1), *permutations(others, 2)]
    for lives, (told, over) in product(
        promised, ((None, None), (asked, None), (asked, Over(Ending.FENCED, Millis(0))))
    ):
        heirs = tuple(Grant(life, Epoch(epoch)) for epoch, life in enumerate(lives, start=2))
        for named in (None, *(heir.epoch for heir in heirs)):
            yield Ownership(held, heirs, named, told, over)


PAGE = st.sampled_from([page for holder in NAMES for page in pages_of(holder)])

Pages = dict[Queue, Ownership]
PAGES = st.dictionaries(QUEUES, PAGE)
REWRITTEN = st.dictionaries(QUEUES, st.none() | PAGE)


def test_page_concerns_its_holder_and_its_heirs() -> None:
    """These are the members whose records may have to be written anew."""
    group = a_group()
    for number, text in enumerate(("a@1", "a@1!2 > b@2", "a@1!2 / b@2", "a@1!2 > c@3 / b@2")):
        group = group.with_page(f"orders-{number}", text)
    pages = group.state.handover.books.values()

    assert [["a"], ["a", "b"], ["a", "b"], ["a", "b", "c"]] == [
        sorted(concerned(each)) for each in pages
    ]


@given(PAGES, st.lists(REWRITTEN, max_size=3))
def test_cards_kept_up_are_cards_written_anew(pages: Pages, steps: list[dict[Queue, None]]) -> None:
    """Whether the cards were carried from step to step or read off the pages: no difference."""
    books = Books(pages)
    for drawn in steps:
        assert books.moving <= books.keys()
        assert books.cards.keys() <= set(NAMES)
        books = books.rewritten(drawn)
        fresh = Books(dict(books))

        assert (fresh.cards, fresh.moving) == (books.cards, books.moving)


@given(PAGES, REWRITTEN, st.sets(st.sampled_from(NAMES)))
def test_drafted_books_find_what_a_walk_through_all_pages_finds(
    pages: Pages, drawn: dict[Queue, Ownership | None], members: set[MemberId]
) -> None:
    """Written or not yet written in this step; always in the order of the queues."""
    drafted = DraftedBooks(pages)
    for each, owned in drawn.items():
        if owned is None:
            drafted.remove(each)
        else:
            drafted.put(each, owned)
    now = sorted(drafted.items())

    assert drafted.moving() == [each for each, owned in now if owned.moves]
    assert drafted.concerning(members) == [
        each for each, owned in now if not members.isdisjoint(concerned(owned))
    ]
