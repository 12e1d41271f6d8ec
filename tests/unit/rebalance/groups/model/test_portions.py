"""Portions: one page of the books, read by each of those it concerns."""

import pytest

from rebalance.groups.model.events import Portion
from rebalance.groups.model.portions import portions
from rebalance.groups.model.state import GroupState
from rebalance.ids import Life
from tests.builders.group import a_group
from tests.builders.notation import life, life_text, naming_text, queue_text

PAGES = {
    "held": ("a@1", {"a": "hold orders-0@1", "b": "", "c": ""}),
    "held, and somebody is next": (
        "a@1 > b@2",
        {"a": "hold orders-0@1>2", "b": "inherit orders-0@2 from a@1", "c": ""},
    ),
    "given up": ("a@1!2", {"a": "give orders-0@1", "b": "", "c": ""}),
    "handed over": (
        "a@1!2 > b@2",
        {"a": "give orders-0@1>2", "b": "inherit orders-0@2 from a@1", "c": ""},
    ),
    "promised to two": (
        "a@1!2 > c@3 / b@2",
        {
            "a": "give orders-0@1>3",
            "b": "inherit orders-0@2 from a@1",
            "c": "inherit orders-0@3 from a@1",
        },
    ),
    "promised, and nobody is named": (
        "a@1!2 / b@2",
        {"a": "give orders-0@1", "b": "inherit orders-0@2 from a@1", "c": ""},
    ),
    "over, and its release is to be read": (
        "a@1!2x > b@2",
        {"a": "", "b": "inherit orders-0@2 from a@1", "c": ""},
    ),
}


def text(portion: Portion) -> str:
    """Write a portion in one line."""
    told = [f"hold {naming_text(naming)}" for naming in portion.hold]
    told += [f"give {naming_text(naming)}" for naming in portion.give]
    told += [
        f"inherit {queue_text(line.queue)}@{line.epoch} "
        f"from {life_text(*line.predecessor.life)}@{line.predecessor.epoch}"
        for line in portion.inherit
    ]
    return ", ".join(told)


def read(state: GroupState, *wanted: str) -> dict[str, str]:
    """Read the portions of some members off the books."""
    lives = [Life(*life(name)) for name in wanted]
    found = portions(state.handover.books.items(), lives)
    return {name: text(found[it.member]) for name, it in zip(wanted, lives, strict=True)}


@pytest.mark.parametrize(("written", "expected"), PAGES.values(), ids=PAGES.keys())
def test_page_says_one_thing_to_each(written: str, expected: dict[str, str]) -> None:
    """Hold, give and inherit are read off the books and kept nowhere else."""
    group = a_group().with_page("orders-0", written)

    assert expected == read(group.state, "a", "b", "c")


def test_portion_lists_queues_in_order_whatever_the_order_of_the_books() -> None:
    """Equal books give equal portions: the order of a map says nothing (I4)."""
    said = {
        "a@1": "hold billing-3@1, hold orders-9@1, hold orders-10@1",
        "a@1!2": "give billing-3@1, give orders-9@1, give orders-10@1",
        "b@1!2 > a@2": "inherit billing-3@2 from b@1, inherit orders-9@2 from b@1, "
        "inherit orders-10@2 from b@1",
    }
    for written, expected in said.items():
        group = a_group()
        for name in ("orders-10", "billing-3", "orders-9"):
            group = group.with_page(name, written)

        assert {"a": expected} == read(group.state, "a")


def test_what_another_life_of_its_name_has_is_not_a_members() -> None:
    """A life that no member is may hold a queue by a release; only that life may work on it."""
    group = a_group().with_page("orders-0", "a@1").with_page("orders-1", "b@1 > a:2@2")

    assert {"a": "hold orders-0@1"} == read(group.state, "a")
    assert {"a:2": "inherit orders-1@2 from b@1"} == read(group.state, "a:2")


def test_only_wanted_members_are_read() -> None:
    """A page may concern members whose record is not asked for."""
    assert {"b": ""} == read(a_group().with_page("orders-0", "a@1").state, "b")
