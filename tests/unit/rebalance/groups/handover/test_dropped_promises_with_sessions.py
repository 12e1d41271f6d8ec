"""Promises end: real sessions show that they have read whom to name, and if it is nobody."""

from collections.abc import Callable

import pytest

from allocators import allocator
from rebalance.groups.handover.baton import MOST_HEIRS
from rebalance.groups.model.policy import Policy
from tests.builders.company import Company
from tests.builders.notation import queue
from tests.builders.records import joined, routed
from tests.builders.story import Story

ON = Policy(standing_heirs=True)


def a_company(names: str, queues: int) -> Company:
    """Begin with members that were just granted their queues, and have not read it."""
    story = Story(policy=ON, allocator=allocator("STICKY"))
    company = Company(story, names)
    company.works(seconds=2)
    story.reads(routed("orders", queues))
    return company


def promised(company: Company) -> dict[str, list[str]]:
    """Return to whom each queue is promised."""
    books = company.story.state.handover.books
    return {
        f"{it.topic}-{it.id}": [heir.member for heir in books[it].heirs] for it in sorted(books)
    }


def turned_off(company: Company) -> None:
    """An operator wants no standing heirs any more; that is heeded with the next change."""
    company.works(seconds=10)
    company.story.policy = Policy()
    company.story.reads(joined("x", "visits"))


def turned_off_unread(company: Company) -> None:
    """And on, and off again, so fast that nobody ever reads whom it was to name."""
    turned_off(company)
    company.works(seconds=10)
    company.story.policy = ON
    company.story.reads(joined("y", "visits"))
    assert all(promised(company).values())
    company.story.policy = Policy()
    company.story.reads(joined("z", "visits"))


def nobody_has_room(company: Company) -> None:
    """Each can carry what it has, and no more."""
    company.works(seconds=10)
    company.story.reads(*(company.full(name, queues=1) for name in company.sessions))


ENDS = [turned_off, turned_off_unread, nobody_has_room]


@pytest.mark.parametrize("end", ENDS, ids=[it.__name__ for it in ENDS])
def test_promises_end_when_nobody_is_to_be_named(end: Callable[[Company], None]) -> None:
    """Nobody waits for ever for a queue that it will not get."""
    company = a_company("abc", 3)
    end(company)
    assert all(promised(company).values())
    company.works(seconds=10)

    assert {"orders-0": [], "orders-1": [], "orders-2": []} == promised(company)
    assert not any(company.story.told(name).inherit for name in "abc")


def test_a_queue_that_was_promised_to_too_many_has_an_heir_in_the_end() -> None:
    """Its holder reads at last that it is to name nobody; then there is room for another."""
    company = a_company("abcdefg", 7)
    company.works(seconds=10)
    books = company.story.state.handover.books
    while (heir := books[queue("orders-0")].heir) is not None:
        company.story.reads(company.full(heir.member, queues=1))
        books = company.story.state.handover.books
    assert MOST_HEIRS == len(promised(company)["orders-0"])

    company.works(seconds=10)
    books = company.story.state.handover.books
    assert books[queue("orders-0")].heir is not None
    assert {1} == {len(heirs) for heirs in promised(company).values()}
