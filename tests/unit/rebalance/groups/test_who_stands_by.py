"""Succession, page by page: whom the target follows, and who may be a standing heir."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from allocators.sticky.strategy import sticky
from rebalance.groups import succession
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Mode
from rebalance.groups.model.member import Member
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from tests.builders.amnesia import a_story
from tests.builders.group import a_group
from tests.builders.notation import queue
from tests.builders.records import joined, marked, routed

ON = Policy(standing_heirs=True)


# -- who follows owners that are gone

FOLLOWED = {
    # what is: (page of a queue that is meant for a, for whom it is meant then)
    "somebody has taken over": ("b@2", "b"),
    "somebody is about to": ("a@1!3x > b@2", "b"),
    "whom it was to name last": ("a@1!3x > c@4 / b@2", "c"),
    "nobody was named": ("a@1!3x / b@2", "a"),
    "nobody has it": ("", "a"),
    "who took over wants to go as well": ("d@2", "a"),
    "who is about to wants to go as well": ("a@1!3x > d@2", "a"),
    "who took over is gone as well": ("x@2", "a"),
    "its next life": ("a:2@5", "a"),
}


def left_by_a(page: str, policy: Policy = ON) -> Draft:
    """A is gone, and d wants to go; orders-0 is meant for a, and orders-1 for b."""
    group = a_group().with_route("orders", 2).with_member("a").with_member("b").with_member("c")
    group = group.with_member("d").with_drain("d").with_page("orders-1", "b@1")
    if page:
        group = group.with_page("orders-0", page)
    group = group.with_target("orders-0", "a").with_target("orders-1", "b").at_epoch(5)
    draft = group.drafted(policy)
    draft.membership.members.remove(MemberId("a"))
    return draft


@pytest.mark.parametrize(("page", "meant"), FOLLOWED.values(), ids=FOLLOWED)
def test_owners_that_are_gone_are_followed_by_who_took_over(page: str, meant: str) -> None:
    """The target follows the log; what nobody took over is left to the strategy."""
    draft = left_by_a(page)
    taken = succession.follow(draft)

    assert {queue("orders-0"): meant, queue("orders-1"): "b"} == draft.target.owners
    assert ({queue("orders-0")} if meant != "a" else set()) == draft.target.renamed == taken


def test_without_standing_heirs_nobody_is_followed() -> None:
    """The strategy alone says who is next."""
    draft = left_by_a("b@2", Policy())
    succession.follow(draft)

    assert "a" == draft.target.owners[queue("orders-0")]


def test_owners_that_are_there_are_not_followed() -> None:
    """Whatever the books say: a queue that is on its way is on its way to its owner."""
    draft = left_by_a("b@2")
    draft.membership.members.put(MemberId("a"), draft.membership.members[MemberId("c")])
    succession.follow(draft)

    assert "a" == draft.target.owners[queue("orders-0")]


# -- who stands by

Change = Callable[[Member], Member]
C = MemberId("c")
KINDS: dict[str, tuple[Change, set[str]]] = {
    # what c is: (what makes it so, who stands by)
    "like b": (lambda it: it, {"b", "c"}),
    "eager": (lambda it: replace(it, eager=True), {"b"}),
    "on hold alone": (lambda it: replace(it, on_hold_alone=True), {"b"}),
    "unmarked": (lambda it: replace(it, awaits_mark=True), {"b"}),
    "presumed": (lambda it: replace(it, presumed=True), {"b"}),
    "resting": (lambda it: replace(it, resting_until=Millis(99_000)), {"b"}),
    "away": (lambda it: replace(it, away=True), {"b"}),
    "draining": (lambda it: replace(it, draining=True), {"b"}),
    "of another mind": (lambda it: replace(it, topics=frozenset()), {"b"}),
    "owning nothing": (lambda it: replace(it, mode=Mode.SHARED), {"b"}),
}


def stood_by(unlike: Change) -> Draft:
    """Deal standing heirs to a's six queues; b is like a, and c is unlike them."""
    group = a_group().with_route("orders", 6).with_member("a").with_member("b").with_member("c")
    for number in range(6):
        group = group.with_target(f"orders-{number}", "a").with_page(f"orders-{number}", "a@1")
    draft = group.at_epoch(5).drafted(ON)
    draft.membership.members.put(C, unlike(draft.membership.members[C]))
    succession.stand_by(draft, sticky)
    return draft


@pytest.mark.parametrize(("unlike", "heirs"), KINDS.values(), ids=KINDS)
def test_only_who_could_begin_at_once_is_an_heir(unlike: Change, heirs: set[str]) -> None:
    """By a release that it reads, and that names it."""
    draft = stood_by(unlike)

    assert heirs == set(draft.target.heirs.values())
    assert {queue(f"orders-{number}") for number in range(6)} == set(draft.target.redealt)


def test_whoever_has_not_shown_that_it_reads_releases_is_no_heir_yet() -> None:
    """Until its mark is read."""
    story = a_story(ON)
    story.reads(joined("a"), routed("orders", 1))
    story.reads(joined("b", marks=True))
    assert {"orders-0": "a@1"} == story.pages()

    story.reads(marked("b"))
    assert {"orders-0": "a@1 > b@3"} == story.pages()


def test_whoever_sends_no_releases_names_nobody() -> None:
    """RocketMQ's own clients are told what to hold, and no more: what comes next is no news."""
    story = a_story(ON)
    story.reads(joined("a", eager=True), joined("b"), routed("orders", 2))
    story.ticks()

    assert {"orders-0": "a@1", "orders-1": "b@1"} == story.pages()


def test_who_begins_on_hold_alone_is_nobodys_heir() -> None:
    """Named by one that goes while the controller is away, it would wait for that."""
    story = a_story(ON)
    story.reads(joined("a"), joined("b"), joined("c", on_hold_alone=True), routed("orders", 6))
    story.ticks()
    assert {"a", "b"} == set(story.state.target.heirs.values())
    assert {"a", "b", "c"} == set(story.owners().values())

    story.reads(joined("c"))
    story.ticks()
    assert {"a", "b", "c"} == set(story.state.target.heirs.values())
