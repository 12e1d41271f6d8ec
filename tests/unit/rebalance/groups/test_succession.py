"""Succession: who takes over from a member that goes, and what becomes of the target."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from rebalance.groups import succession
from rebalance.groups.model.decisions import AssignmentIssued, HandedOver, Rebalanced
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Mode
from rebalance.groups.model.member import Member
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from tests.builders.amnesia import Remembered, a_story, beats
from tests.builders.group import a_group
from tests.builders.notation import grant_text, queue, turns
from tests.builders.records import beaten, drained, joined, left, marked, released, routed
from tests.builders.story import only

ON = Policy(standing_heirs=True)


def at_rest() -> Remembered:
    """Begin with a, b and c, who share six queues; each queue has its standing heir."""
    story = a_story(ON)
    story.reads(joined("a"), joined("b"), joined("c"), routed("orders", 6))
    story.ticks()
    assert HEIRS == story.pages()
    return story


HEIRS = {
    "orders-0": "a@1 > b@2",
    "orders-1": "a@1 > c@2",
    "orders-2": "b@1 > a@2",
    "orders-3": "b@1 > c@2",
    "orders-4": "c@1 > a@2",
    "orders-5": "c@1 > b@2",
}
TAKEN_OVER = ["b@2", "c@2", "b@1", "b@1", "c@1", "c@1"]
"""Who holds each queue, in order, once a has gone."""


def holders(story: Remembered) -> list[str]:
    """The holders' grants, in order of their queues; nothing is on its way."""
    books = story.state.handover.books
    assert not any(books[it].moves for it in books)
    return [grant_text(books[it].holder) for it in sorted(books)]


# -- departures


def leaves(story: Remembered) -> None:
    """A releases everything to whom it was told to name, and has gone."""
    story.reads(released("a", "orders-0@1>2 orders-1@1>2"), left("a"))


def leaves_before_its_releases(story: Remembered) -> None:
    """They travel by another topic. The controller's come later in the log, and change nothing."""
    story.reads(left("a", sequence=99))
    late, story.decided = story.decided, []
    story.reads(released("a", "orders-0@1>2 orders-1@1>2"))
    story.decided = late


def leaves_in_a_later_batch(story: Remembered) -> None:
    """The controller reads the releases first: a is about to go, as nobody has asked it."""
    story.reads(released("a", "orders-0@1>2 orders-1@1>2"))
    assert not any(story.told(name).give for name in "abc")
    story.reads(left("a"))


def drains(story: Remembered) -> None:
    """A wants to go, hands everything on, and leaves."""
    story.reads(drained("a"))
    assert turns("orders-0@1>2 orders-1@1>2") == story.told("a").give
    story.obeys("a")
    story.reads(left("a"))


def drains_unheard(story: Remembered) -> None:
    """The controller was away: it reads the drain with the releases that followed, in any order."""
    story.reads(released("a", "orders-0@1>2 orders-1@1>2"), drained("a"), left("a"))


def is_fenced(story: Remembered) -> None:
    """A falls silent; the controller releases for it."""
    for _ in range(4):
        story.waits(seconds=3)
        story.reads(*beats(story, "b", "c"))
    assert "a" not in story.state.membership.members


WAYS = [
    leaves,
    leaves_before_its_releases,
    leaves_in_a_later_batch,
    drains,
    drains_unheard,
    is_fenced,
]


@pytest.mark.parametrize("go", WAYS, ids=[way.__name__ for way in WAYS])
def test_a_departure_that_was_foreseen_moves_nothing_twice(
    go: Callable[[Remembered], None],
) -> None:
    """Each queue goes to its standing heir, under the grant it was promised, and stays there."""
    story = at_rest()
    go(story)
    story.ticks()

    assert TAKEN_OVER == holders(story)
    assert 2 == sum(len(it.queues) for it in only(HandedOver, story.decisions))
    assert {0} == {it.moves for it in only(Rebalanced, story.decisions) if it.epoch_before >= 2}


def test_whoever_took_over_has_heirs_at_once() -> None:
    """Its grant is older than the promise, so that nothing has to wait."""
    story = at_rest()
    leaves(story)

    assert ["b@2 > c@3", "c@2 > b@3"] == list(story.pages().values())[:2]
    assert all(it.next for name in "bc" for it in story.told(name).hold)


def test_a_fresh_grant_gets_its_heir_one_step_later() -> None:
    """The promise needs a later epoch than the grant."""
    story = a_story(ON)
    first = story.reads(joined("a"), joined("b"), routed("orders", 1))
    assert {"orders-0": "a@1"} == story.pages()
    second = story.ticks()
    assert {"orders-0": "a@1 > b@2"} == story.pages()

    told = [(it.member, it.epoch) for it in only(AssignmentIssued, first + second)]
    assert [("a", 1), ("b", 1), ("a", 2), ("b", 2)] == told
    assert [] == story.ticks()


def test_a_newcomer_becomes_an_heir() -> None:
    """It is told so in the record that answers its join."""
    story = a_story(ON)
    story.reads(joined("a"), routed("orders", 1))
    story.ticks()
    assert {"orders-0": "a@1"} == story.pages()

    story.reads(joined("b"))
    assert {"orders-0": "a@1 > b@2"} == story.pages()
    assert turns("orders-0@1>2") == story.told("a").hold


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
    succession.follow(draft)

    assert {queue("orders-0"): meant, queue("orders-1"): "b"} == draft.target.owners
    assert ({queue("orders-0")} if meant != "a" else set()) == draft.target.renamed


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
    succession.stand_by(draft)
    return draft


@pytest.mark.parametrize(("unlike", "heirs"), KINDS.values(), ids=KINDS)
def test_only_who_could_begin_at_once_is_an_heir(unlike: Change, heirs: set[str]) -> None:
    """By a release that it reads, and that names it."""
    draft = stood_by(unlike)

    assert heirs == set(draft.target.heirs.values())
    assert {queue(f"orders-{number}") for number in range(6)} == set(draft.target.redealt)


def test_who_may_begin_again_is_an_heir_again() -> None:
    """What changes about a member changes whom its queues go to, at once."""
    story = at_rest()
    story.reads(left("c", temporary=True))
    assert {"a", "b"} == set(story.state.target.heirs.values())

    story.reads(joined("c"))
    assert HEIRS.keys() == story.pages().keys()
    assert {"a", "b", "c"} == set(story.state.target.heirs.values())


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


# -- turned off, and forgotten


def test_when_it_is_turned_off_nobody_is_named_any_more() -> None:
    """With the group's next change. A promise goes when its holder shows that it has read that."""
    story = at_rest()
    story.policy = Policy()
    story.reads(joined("d", "visits"))
    unnamed = {name: page.replace(" > ", " / ") for name, page in HEIRS.items()}
    assert unnamed == story.pages()
    assert {None} == {it.next for name in "abc" for it in story.told(name).hold}

    story.reads(
        beaten("a", epoch=3, owned="orders-0@1 orders-1@1"),
        beaten("b", epoch=3, owned="orders-2@1 orders-3@1"),
        beaten("c", epoch=3, owned="orders-4@1 orders-5@1"),
    )
    assert {name: page.partition(" ")[0] for name, page in HEIRS.items()} == story.pages()
    assert {} == dict(story.state.target.heirs)


@pytest.mark.parametrize("kept", [0, None], ids=["the log is kept", "the log is lost"])
def test_a_controller_that_has_forgotten_moves_nothing(kept: int | None) -> None:
    """Everybody keeps what it has. Who has to join again is nobody's heir until then."""
    story = at_rest()
    story.forgets(kept=len(story.log) if kept is None else kept)
    assert ["a@1", "a@1", "b@1", "b@1", "c@1", "c@1"] == holders(story)

    story.reads(*(joined(name, sequence=50) for name in "abc"))
    story.ticks()
    assert HEIRS == story.pages()
    assert [] == only(HandedOver, story.decisions)
