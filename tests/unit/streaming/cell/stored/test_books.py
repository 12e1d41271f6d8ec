"""Queues share a page only if nothing about them differs."""

from dataclasses import fields, replace
from itertools import count

import pytest

from rebalance.groups.model.ownership import Grant, Ownership
from rebalance.ids import BrokerName, Incarnation, Life, MemberId, Queue, TopicName
from streaming.cell.stored.books import books, books_form
from streaming.cell.stored.form import Places
from tests.builders.filled import filled
from tests.builders.full_group import GROUP

ONE, OTHER = (Queue(TopicName("orders"), BrokerName(""), number) for number in range(2))
PAGE = filled(Ownership)
MEMBERS = GROUP.membership.members


def stored(owned: dict[Queue, Ownership]) -> tuple[int, dict[Queue, Ownership]]:
    """Store books and read them; say with how many pages."""
    places, names = Places[Queue](()), Places(MEMBERS)
    form = books_form(owned, places, names, MEMBERS)
    return len(form.pages), books(form, list(places), list(names), MEMBERS)


@pytest.mark.parametrize("name", [it.name for it in fields(Grant)])
@pytest.mark.parametrize("side", [it.name for it in fields(Ownership)])
def test_pages_that_differ_in_one_field_are_two(side: str, name: str) -> None:
    """Whatever the field is, also one that is new."""
    other = replace(getattr(PAGE, side), **{name: getattr(filled(Grant, count(100)), name)})
    owned = {ONE: PAGE, OTHER: replace(PAGE, **{side: other})}

    assert (2, owned) == stored(owned)


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
