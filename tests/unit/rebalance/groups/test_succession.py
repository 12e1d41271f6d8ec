"""Succession: who takes over from a member that goes, and what becomes of the target."""

from collections.abc import Callable

import pytest

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups.model.decisions import AssignmentIssued, HandedOver, Rebalanced
from rebalance.groups.model.policy import Policy
from tests.builders.amnesia import Remembered, a_story, beats
from tests.builders.notation import grant_text, naming_text
from tests.builders.records import beat_of, drained, joined, left, released, routed
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
    assert ["orders-0@1>2", "orders-1@1>2"] == [*map(naming_text, story.told("a").give)]
    story.obeys("a")
    story.reads(left("a"))


def drains_unheard(story: Remembered) -> None:
    """The controller was away: it reads the drain with the releases that followed, in any order."""
    story.reads(released("a", "orders-0@1>2 orders-1@1>2"), drained("a"), left("a"))


WAYS = [
    leaves,
    leaves_before_its_releases,
    leaves_in_a_later_batch,
    drains,
    drains_unheard,
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
    assert 2 == sum(it.moves for it in only(Rebalanced, story.decisions) if it.epoch_before >= 2)


LIVING = [f"living-{number:02}" for number in range(17)]
DYING = ["dying-0", "dying-1", "dying-2"]


@pytest.mark.parametrize("last_words", [(0, 0, 0), (0, 0, 1), (0, 2, 1), (3, 0, 6)], ids=str)
def test_however_many_are_evicted_nobody_else_gives_a_queue_up(
    last_words: tuple[int, int, int],
) -> None:
    """Heirs are dealt for one departure; of several dead the strategy shares out all at once."""
    story = a_story(ON)
    story.reads(*map(joined, LIVING + DYING), routed("orders", 40))
    story.waits(seconds=2)
    before, decided = story.owners(), len(story.decisions)
    for second in range(20):
        spoken = [it for it, last in zip(DYING, last_words, strict=True) if second <= last]
        story.reads(*beats(story, *LIVING, *spoken))
        story.waits(seconds=1)
        story.settles()

    after = story.owners()
    assert set(LIVING) == set(after.values())
    assert {q: it for q, it in before.items() if it in LIVING}.items() <= after.items()
    handed_over = only(HandedOver, story.decisions[decided:])
    assert {it.from_member for it in handed_over} <= set(DYING)


def test_a_strategy_that_fails_leaves_the_dead_to_their_heirs() -> None:
    """Somebody has to work on their queues."""
    story = at_rest()
    story.allocator = fails
    for _ in range(4):
        story.waits(seconds=3)
        story.reads(*beats(story, "b", "c"))
    story.ticks()

    assert TAKEN_OVER == holders(story)


def fails(_: AllocationRequest) -> AllocationPlan:
    """A strategy of somebody's own."""
    raise ValueError("not today")


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
    assert ["orders-0@1>2"] == [*map(naming_text, story.told("a").hold)]


def test_who_may_begin_again_is_an_heir_again() -> None:
    """What changes about a member changes whom its queues go to, at once."""
    story = at_rest()
    story.reads(left("c", temporary=True))
    assert {"a", "b"} == set(story.state.target.heirs.values())

    story.reads(joined("c"))
    assert HEIRS.keys() == story.pages().keys()
    assert {"a", "b", "c"} == set(story.state.target.heirs.values())


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
        beat_of("a", epoch=3, owned="orders-0@1 orders-1@1"),
        beat_of("b", epoch=3, owned="orders-2@1 orders-3@1"),
        beat_of("c", epoch=3, owned="orders-4@1 orders-5@1"),
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
