"""Queues share a page only if nothing about them differs."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import count
from typing import Any

import pytest

from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.ownership import Grant, Over, Ownership
from rebalance.ids import BrokerName, Incarnation, Life, MemberId, Millis, Queue, TopicName
from streaming.cell.stored.books import books, books_form
from streaming.cell.stored.form import Places
from tests.builders.filled import filled
from tests.builders.full_group import GROUP

ONE, OTHER = (Queue(TopicName("orders"), BrokerName(""), number) for number in range(2))
PAGE = filled(Ownership)
STRANGE = replace(filled(Ownership, count(100)), over=Over(Ending.RELEASED, Millis(1)), begun=False)
"""A page that has nothing in common with the other."""
MEMBERS = GROUP.membership.members


def stored(owned: dict[Queue, Ownership]) -> tuple[int, dict[Queue, Ownership]]:
    """Store books and read them; say with how many pages."""
    places, names = Places[Queue](()), Places(MEMBERS)
    form = books_form(owned, places, names, MEMBERS)
    return len(form.pages), books(form, list(places), list(names), MEMBERS)


def differing(one: object, other: object) -> Iterator[tuple[str, object]]:
    """Return the first value with something of the other in one place, for each of its places."""
    if is_dataclass(one) and not isinstance(one, type):
        for field in fields(one):
            mine, strange = getattr(one, field.name), getattr(other, field.name)
            for where, value in differing(mine, strange):
                yield f"{field.name} {where}", replace(one, **{field.name: value})
    elif type(one) is tuple and type(other) is tuple:
        yield "[]", one[:-1]
        for where, value in differing(one[0], other[0]):
            yield f"[0].{where}", (value, *one[1:])
    else:
        yield "", other


PAGES = dict(differing(PAGE, STRANGE))
UNSAID = [it.name for it in fields(Ownership) if it.default is None]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_pages_that_differ_in_one_place_are_two(page: Ownership) -> None:
    """Whatever the field is, also one that is new; a holder's, an heir's, or the page's own."""
    owned = {ONE: PAGE, OTHER: page}

    assert (2, owned) == stored(owned)


@pytest.mark.parametrize("name", UNSAID)
def test_nothing_is_not_something(name: str) -> None:
    """Nobody is named, nobody was asked, or the holder has not ended."""
    nothing: dict[str, Any] = {name: None}
    owned = {ONE: PAGE, OTHER: replace(PAGE, **nothing)}

    assert (2, owned) == stored(owned)


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_has_a_number(ending: Ending) -> None:
    """An ending that is new needs one; none is given twice."""
    owned = {ONE: replace(PAGE, over=Over(ending, Millis(1)))}

    assert (1, owned) == stored(owned)


def test_pages_that_are_the_same_are_one() -> None:
    """By value: the bytes do not depend on which objects are shared."""
    owned = {ONE: PAGE, OTHER: filled(Ownership)}

    assert (1, owned) == stored(owned)


def test_a_grant_of_the_present_life_names_no_life() -> None:
    """It is that of the member, whatever it is called; of an earlier life it is written."""
    name, member = next(iter(MEMBERS.items()))
    for life in (member.incarnation, Incarnation("earlier")):
        grant = Grant(Life(name, life), PAGE.holder.epoch)
        assert {ONE: Ownership(grant)} == stored({ONE: Ownership(grant)})[1]
        names = Places[MemberId](MEMBERS)
        (page,) = books_form({ONE: Ownership(grant)}, Places([ONE]), names, MEMBERS).pages
        assert (page.holder.incarnation is None) == (life == member.incarnation)
